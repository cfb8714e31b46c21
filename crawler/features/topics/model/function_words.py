"""Words that do not show what a text is about: articles, prepositions, pronouns, auxiliary verbs. Pure.

A model may give such words weight, because pages of one site use some of them more often than other pages. But they are
useless to people who ask for the reasons of a judgement. The lists hold the most common function words of ten
languages, without words that have a meaning in another of these languages (war, car, door, hay).
"""

from __future__ import annotations

from typing import Final

_BY_LANGUAGE: Final = {
    "en": "a about above after again against all also am an and any are as at be because been before being"
    " below between both but by can cannot could did do does doing down during each few for from further"
    " had has have having he her here hers him his how however i if in into is it its itself just may me"
    " might more most must my no nor not now of off on once only or other our ours out over own same shall"
    " she should so some such than that the their theirs them then there these they this those through to"
    " too under until up upon us very via was we were what when where which while who whom whose why will"
    " with within without would yet you your yours don isn doesn didn wasn aren ll ve re",
    "de": "aber alle allem allen aller alles als also am an andere auch auf aus bei beim bis bist da damit dann"
    " das dass dem denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein"
    " eine einem einen einer eines er es etwas euch für gegen hab habe haben hatte hatten hier hinter ich"
    " ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann"
    " kein keine können mehr mein meine mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr"
    " sein seine seinem seinen seiner sich sie sind so soll sollte sondern sowie über um und uns unser"
    " unter vom von vor waren was weil wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur"
    " zwischen",
    "fr": "à afin ai ainsi alors après au aucun aussi autre aux avec avant avoir avons c ce ceci cela ces cet"
    " cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en encore entre"
    " est et été être eu eux fait faut il ils j je jusqu l la là le les leur leurs lors lui m ma mais me"
    " même mes moi moins mon n ne ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour"
    " pourquoi qu quand que quel quelle quelles quels qui s sa sans se selon ses si soit sont sous sur t"
    " ta te tes toi tous tout toute toutes très tu un une vers vos votre vous y",
    "es": "a al algo algunos ante antes aquí así aunque bajo bien cada como con contra cual cuando de del desde"
    " donde durante e el él ella ellas ellos en entre eran es esa ese eso esta está están estas este esto"
    " estos fue fueron había han hasta la las le les lo los más me mi mientras mucho muy nada ni no nos"
    " nosotros o os otra otras otro otros para pero poco por porque pues que qué quien se según ser si sí"
    " sido sobre su sus también tan tanto te tiene tienen todo todos tras tu un una uno unos y ya yo",
    "it": "a ad agli ai al alla alle allo anche ancora avere c che chi ci con contro così cui d da dagli dai"
    " dal dalla dalle dei del della delle dello di dopo e è ed erano essere fra gli hanno i il in io l la"
    " le lei li lo loro lui ma mi mia mio ne nei nel nella nelle non nostro o ogni perché più poi prima"
    " quale quando quello questa queste questi questo se sei senza si sia solo sono sopra sotto su sua sue"
    " sugli sui sul sulla suo suoi tra tu tutti tutto un una uno vi",
    "nl": "aan al alle als altijd andere ben bij daar dat de der deze die dit doch doen dus een en er ge geen"
    " had heb hebben heeft hem het hier hij hoe iets ik in is ja je kan kon kunnen maar me meer met mij"
    " mijn moet na naar niet niets nog nu of om omdat ons ook op over te tegen toch toen tot u uit uw van"
    " veel voor want waren was wat we wel werd wie wij wil worden wordt ze zelf zich zij zijn zo zonder"
    " zou",
    "pt": "a à ao aos aquela aquele às as até com como da das de dela dele do e é ela elas ele eles em entre"
    " essa esse esta está este eu foi foram há isso já la lhe mais mas me mesmo meu minha muito na não nas"
    " nem no nos nós o os ou para pela pelo pelos por qual quando que quem se sem ser seu seus são só sua"
    " suas também tem um uma você vos",
    "sv": "alla att av bara blev bli de dem denna deras dess det detta där efter ej eller en er ett från för"
    " hade han har hans hon här i icke inte jag kan med mig min mot mycket när nu någon något och om oss"
    " på sedan sig ska skulle som så till under upp ut utan vad var vara vi vid vilka än är",
    "da": "af alle at blev bliver da de dem denne der deres det dette dig din dog du efter eller en end er et"
    " for fra ham han har havde hvad hvis hvor i ikke ind jeg kan med meget mig min mod når og også om op"
    " os over på sig skal som sådan til ud under var ved vi vil være",
    "pl": "a aby ale być był była było były co czy dla do gdy go i ich im ja jak jako je jego jej jest jeszcze"
    " już kto która które który lub ma może na nad nie nich niż o od on ona oni po przez przy się są tak"
    " także te tego tej ten to tu tym u w we więc wszystko z za ze że",
}
_WORDS: Final = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
_IN_TITLE: Final = " (title)"


def says_nothing(words: str) -> bool:
    """Return whether a reason, which is one or more words, consists only of function words and single letters."""
    return all(
        len(word) < 2 or word in _WORDS for word in words.removesuffix(_IN_TITLE).casefold().replace("’", "'").split()
    )
