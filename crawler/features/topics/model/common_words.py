"""The most common words of pages. If no other pages are known, they show which words are special to a topic.

Made by `python -m benchmarks.common_words STORE` from 7,192 pages of 68 sites, most of them documentation of software
in English, up to 100 from each. The words are stored only as hashes. In other languages hardly any word is known as
common, so all words count the same.
"""

from __future__ import annotations

import zlib
from base64 import b85decode
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.model.page_words import BUCKETS, FloatArray

COUNT: Final = 1_000
RARITY_OF_OTHERS: Final = 9.1875


@dataclass(frozen=True, slots=True, eq=False)
class CommonWords:
    """The statistics of common words, as two arrays of shape (BUCKETS,), float32.

    `rarity` is the weight of each bucket (see TopicModel). `mean_row` is the mean row of a page, restricted to common
    words.
    """

    rarity: FloatArray
    mean_row: FloatArray


@cache
def common_words() -> CommonWords:
    """Return the common words; they are unpacked at the first call."""
    data = zlib.decompress(b85decode(_WORDS))
    buckets = np.cumsum(np.frombuffer(data, "<u2", COUNT).astype(np.int64))
    rarities, means = (np.frombuffer(data, "<f2", COUNT, place * COUNT).astype(np.float32) for place in (2, 4))
    rarity, mean_row = np.full(BUCKETS, RARITY_OF_OTHERS, np.float32), np.zeros(BUCKETS, np.float32)
    rarity[buckets], mean_row[buckets] = rarities, means
    return CommonWords(rarity, mean_row)


_WORDS: Final = (
    b"c-k#i33yFc*WNdYBtl}!IcM)P+}s-pA_!s@xo7VcGZFJl&9vs3nqsOcs-|kpLuq}gW@;*JO*PbKE}?3kwWgwc{x^C4=RW7k*?SG|de^(w<+6M%"
    b"jumEASq#3@*$|e<TCrGmne}HnOJ+4$I7?!MSOo5RvS7v;^Q5yrY$R)k(`KwT8x7lJ7R`J(sSJw<_BpG|O0oJZ4X33LCBVX%!v-NkIrcG&XKz@L"
    b"r!bp~D6uRGHuK^8m^EZm*-AE<m0^wWUY&)oQ0B5uERuEhjA6xCeorj2c0sHkSxcti)f}<P0)2a6tcp1KSthdk;XRglSrMSfWC9rrFp1h`07E}y"
    b"X$Si@Y&lNiS#kCS>%po3wGSR)tR$O+nr!wdtA%<)fjlvn7f%E;JiS>EB6Y(v9p@A9HU|~ff=?M%ku71VtOF~GPb3?TtVP&HRsnXESTE#l!$zTk"
    b"bUbC5$x0(%byg3yEpcPOvm)$k;1h*74G=jD=SARI5z!*?t$->LOb-XsHJAogKV=KqU1p&g7dHYqCZLY|=uax^$_6vSX$fGjiATp@Zk|mQ_%>s="
    b"(DT`O)@2acK}{O4#G_u$5`f8rPb`qu1gBSV-Uhw+2rBTyOT(uux>ACDh8!WDZ_wum_$4CCedKM5y6PcfQ_l+Uuc6cRaaV!0V6Blg6{`9MRfd3t"
    b"7Whtr%@)M9!ACjNODxUP5c~+Xh86ORMN9{l!T7d-^b_O?2B#X(#RI#AzQ*CigZPQyy9B$$CL+rq*e^mqSHpf7I19r~KJYmdnn?gJE<U;H2#0z#"
    b"HUJ%v&~gm;h(L!TaP}vjMyR_uR8kHox<DmmfH*(A{LpF;bo42Zy+$p+g0}>yq5v2jfWJorTQK_%&{e@(SG;|U3<35Kr^&1!GWdbkgwkT*SD0n7"
    b"4DdV-yjNlSJ$}Tfgp4bIV-hUK0`E)231U0JoeTTI@QY+|o_dIsi@h7F?8}a#hOw~QoY&_hJa>^Rx3iU?(n3Ht6f+VJmDB^44ya@<o)BP~h#0+L"
    b"Yp^L$K@VW5?lF<YhII^^3Ds7DzmCo}M2D(@xq`@%hWaK!9V1|=SY3FuLfkI@UvWMlC=CpW>=f!6ft=NFRvy`tfi@a<CD~#y8p`&;CKi_KkuL)b"
    b"gh3|?I_QO65)Cw~fl$Mw`w*cXa>k%*Iyepk)*aAONvPCD&M06kgV;ahX}Jnehohn&SPEhVqs~6yc@&gV7I7?32I6%?w0w9ELOsEVQyFZBLg(S&"
    b"xemJC33=l1B(X8<0lXTsj-F32Z=vAn6HHM7PiJr%3%@Mv2M@4BLB(a^nH#rY?jG}`fi(}?gd9h~N^iuHU|}^X^8$4{{F^(QMRBjQ&hY&Vc*F7D"
    b"4Eo4bb~yT$hQ8&8{m#6ZE)-M)@pJd_QuJjyZVKlq`8_ykjJ~e%jKUVJhB!u^T_UC-my;-V4Rr;8s}Vc|CT0*$S0V3bP(W2M^b2gGQBNZJ;6dD!"
    b"yge5Um4zUCbL6-TL<Ny09^9?Qw-;}Zkz*S);Q{I-%zp)7%$>;g=*xce*ko<-7KWY{W5G~~0qz@PUwGJeh+hi*To2ZwP-hL~EQh*c@@72_k;-8H"
    b"TB7R*5HkUtiDzfoEMTt({|ZohS?DR6O#|}<fX;)z11tynnU4y`!_G!6X`aT&5DlC3ye^i+-<1)$7}V1-Z$mc3j+n^018)RwW+SQ>HW}<BZllqy"
    b"f_eOCtO>dr!Cru`V(3@tJjHduT`|~|0D{u+35Q2KwALT<i;W)9D)>e4umWR)cLhhXQ$YptjSCqcd@ba9$VSiekbxmdp0(jOL%+ooSIhUKr)s{a"
    b"upyqtA?1Q<2NjJ-j*Jcd98o8SUuGS{r-o&*(w^O{RM@lNenD+mMxn|1d1zv|6CBFIgZFs0v9{q;f(8c%g)AancA#@~RVGWzZBDi50X?PL%8<v@"
    b"57e8y@-h8eD~!geMRc4xs?Dh<RY+<@3Zmz<OTMJ?^o6XVqG)5vb@h~d6pmQssIpv4`)CPurHwR6osoY~5{;r0a+K^5*rfK*h`>|YNgu07Rmr{X"
    b"Hgo?_B`HIuP_n!%`_K@oOIHIeD1mf0Q@vMQu5p*kS%Lo4NtK{aDO0_rDYSvcsxqn|^;AP>3r(c`sslBr=jt2kAqTnn)f4qtUZV^Oh5b+}DNnlR"
    b"=ms68EcY%Qb3^4$N|ncHIeDo#HB%1*cWE&7aV_~qmX>LhMGpfF)pa$I3ehy$RqGw~RXb?3{6e-2Je7;68#Qo$Rn@4M?C&0Qv#5<spxvsiI;nD~"
    b"vbqpxql&8y%B1}?K(127<&eNiIxb(RY$`49$s_UyS|d}*8yKRB1`g3_mCvoF0$^&Nd_YBMFK~9HQZ%04t9`0Et&km5Bo%Qdx{Ig_rOD=U4ZW2Q"
    b"<WhN3-Bmx!3Dir)(F668_E2j#T^*P0+!bIugKoK7<z)3j?V=>v&-K#`RZ5nj>GCX{SM}v$cYh#@4yi(FJRPF@;Qlqb@CCi6^1!|dER<GFsk8b{"
    b"uA^r(M{S_V?!~}PIgYYv5&cBpQBAc>&3Ajcm*sKydsS8*AXnw`lB4Fp##GzYcWNPcexPcomC!&zDxwakZ{!)ZSZ1n5bcfyr{;N*Y0D4Ey0!63`"
    b"Zr@UA8b<3$&<PbH8_}0)sf<>N!ew*1OlQ;;`co3_-pb+BTD?*8=>Wx2994zl)~O@VX6sz#28PiHwUhSAd+rT&R3+0EHG(q0@fcd9o}|{K6jfd}"
    b"qyDmm{7FrfrBVabjOM9%@_*{EdIq$m<S?aF{k+Z}ppNthb(R^j8`Y6tsOBll$WfWl=uq_aE=3~pJ^4<JB)|HJeybIViW2F9oDXE1)L0q7B>bYH"
    b"ln?b?sdZQuRTH52onZQ_)UvX!D(t>c$7r|wKzn5}t)RB_HN8={)FSzdJRA5&zM)I*a&;y3J^H<uDpF7Aq^3NEF8q`7LB7Xibf*@WpS_sg?_?$P"
    b"^E7&1(0xb_jiaS9M<zo3YgB3Vo4Z9`MfRKS4dijuXsV$yU>!v1bOJfTXrg;Zy{k2VeoE0)Pdeh(MknWB8@#7z^eaZarz>)YJVR^fE`8;mP<7-C"
    b"aIi{cVGlgOygihI)G|!hYk5EkTI<%8t>hM(MSs&wT8loVQm&dlPZ>`+fiucc6|prsQb?-L{eTUWq}Hpov`gK<Jbj=Zl%*!q3pr5Us`ZH)M_;?s"
    b"QpV8}+M{k#VHHl<a)H_eZr8cjsD&)9W>PD;PWoxMI;5t{Nzm~=sIr}$>-JKoP?fDtxx?rq?3+#Um|RAW+?Hy*3b?_l3EfrADHb<Bx>58FwM?XV"
    b"I_yrz_cnQ59i$TSntDT-ZkjUaEbVizQ+Ic(igY*1530AjhZe{?a<wW8#rKv`nBa%BO#0|>>i2RgD!S(~OvPR7&=2Zc*(h+5`pNCILwS@}9U>21"
    b"fLf=jS8~0ZgU%I|1Jp>h7@QxZ@6<dMPi5$WN|jY<wi`tAF>4Q~A^qiUqNS=og<^-lMUIseL8DX`nVA}=5~0~<^vZoEJ7HTqQfKHR==>Q4VM4y9"
    b"Y&Q<PH>Z>CpjvxV3aAb$HIPFApc85m-N6QILa(WR>K*jps?yYnK!Dm|DlbrD`HDsdW~)K&ebrTlsm7$q+E8RHos<^X*p5EGrR#E|yMRu+`M^g3"
    b">aTW7Q-KRwtDd;yffF3nx|MQGUZF@;PW6-ZWi{27+EYHv=6Ym4s#?(BZUScJ6y`QWzEro>W%Vm8N>OcWsO4@qdL4+M|G81<#vpe&l+}n{%1Uw%"
    b")DcQk+%@h&x-B=TzSv!-X_#AEsX#b>v&PT^$>>}lL+-)^K7>;DQ6}_#j>@L~MrYi=>1DvLqTI*oUnuJ!CVU2Mb{kMtOh{?DU44oAa<Iw9sv0z3"
    b"O%1$~Ds>1p*l9Ul{zrXGZ)Aph8{1=~GVveNY1oh(=$JYsFHst8!K5~Xwx<W?(SN|kOl;7n)Es;JAvW@-GzK%ZK%J#A;EH4`+C@jya?E9na%qsd"
    b"2n<6o3$5fIn7+FB4a}hVbRBHpq^6k6#gt4DdTD1WzoQSdZ#V~I&Wo9PAFUOS=bw9v^G3!FW1W30x>)R4bCms;o~`dR6Z{A4g|R8zG^^>)%-7nN"
    b"e2RHn{4Q3;{mXkBelx%MK%XWqI4L|+95Ke2=Zr5!gp+1OdlU35YnwC1w~BM&@i*1y8i&LjvDNpNv&0+8KNemmL^N}XSU0rIe5=_f=1*gd{>)dy"
    b"yzZpf-#Yc|MzJ$^l(WHD%V&ssdW`YCR^5)UvU#|Woa-SxleZD?3`ZQ*3;U*cvxMXPZKi4a^;t%S7;J2}2Y8R^;d)8qPbW+N-dSM}(yKY$tm-0}"
    b"kKo<Kvlz$N!*9h@b_!V=?4!Jc-Z!S4^NKGs63q5`-Po(qcllhsksapD@b$5NH45-uzMDM6m>#2hFFBg{-1doE<~L%cnIw|z+P?4YuW+)*T&eZ5"
    b"XNvL8i<ode&sr}k@<(=4yNOwke_`G?M*5UB(bq=L;(h!R#C=}SsbP;cnDB_kdN#i&>KK>!Bja~tkNL{Jz|VTm`-bxgyuZEFPU9EFT=Oq;h3IXk"
    b"Sws0ragrzSsd|W!-xq2pSvCD(_I76qw-GUi|I594ac4T}xo`RHIKIN_qtzA%oc7L0-+cZ^47Mlo1;$jf5Z~w2;cdkw?O)U4FL;=qEC!m(?OwLj"
    b"V+~~mi`OyZe8ub%#ycZNPt?BEJB#zyPH#cq2lIsEh&J|RjoU?eWwDkw745ZOL}$KU^tFF7GL47kMO1Z|544u?6IQyp)2wc`<7M<SzD!Zuu&p-y"
    b"h;KW;%Kzb)j7@wTKdS}t`#j*CCOV4&_5u;Z>)OwR)E1Z{^ikGqKA#t~|K<z%RDRt2jA!$UT<MRre!MIyxzAVfKEB?@YSBP^>058dnv?97{JH4D"
    b"7kEoqgN#~Yp#QM(%DV2YYu>RR*{#K1D}QW9k!~I~v+X0sGM<l*;REegytP@}u52FUJ+xW8r1sQ0Vt;BBvza(jB3rK_cIY1SH)9Frpf!JCZZ#(v"
    b"^?AD0U7zSbWG?2j%msE+J=*HQ$JlXVs4-bE^B?n(*cMyg>R~%PzkNeXGEVyaPKF5b7c!6YBbLo?nnR6-dKypA&x`7!leOM{={ssoi=OYD!8`i*"
    b"@PH`FOBoZacz(yKX6!N&;#%1u`afcW>2u=kD1J^G?c`X;`EzTA@!DIL&*PzHIj58P)R0EBxydXaGtc_cY;2scr)l@JX;x33WH;0IifpSj_d6en"
    b"U(6Wq6@E6hgYg=X*Xcccek0nbY&SI=y#&t@FU_sIq&>v`Sud|wGpak!c$z&`514h#4d#BclsL*?iV5a<<6B!=`9+X;?$q<z_J8%8+KK4y{DoHD"
    b"AW`0I%tPXJ-p<!rY&2_#=KKMF7`w`M&Yoo~x891o{DatL+!D8=o9po+z}MIbPKVh0Ruw+O85N(RM{7CaU(IX!M7llKTBu*vM|+zZv+XFe4zKED"
    b"S;Kh+^RoD04=@JX={(un+J5S6vA*Toi?=i9IG1>`Ra4xyrrQDipgl~CGB^2tHeZ|fM22oyoO``n#b`_LH`+i^(fgdYF}ho?#ThNfsmqs$!oFE{"
    b"TU7Itceysq`_lZ)H_R+(c)UOAkIXstB{9w1ZN_^~>ofH;Mo;fXqo@BPdmVaP-`kR(=25)A6=`m?uKJc351j~+#(UbIS!cCv#s#t7%;M+8Am^F6"
    b"8a<rO8;NlKM2j-6o7tiTKg7Qlnf5F`+doE>@-neZ4CL!<pJCdI&2;Y*qoR1Jt<;AZZ+W8Az+XX>HLe*0jK7>()^TU0@!F`WZMIK~i(;v{TyLgt"
    b"aZXtkL|?s_cS3AZe7ZH>zT)%f?T!EPXQCYc-g<=DTCbJ#?-9NEZL@(>*H>38;=}A4`e6G{y{kV*{O0_?m)cFeTg2}%0(-eIdJ%2@<FBGW)(&aY"
    b"?K(~&y|weuDqvsmCYujU(;jPF)MoNk&U39AuWlDAzBjI@Rfq4k8;X_IW2?0}jc+!-;-}3``b)i^S;5G(=Uc*jp|y;O_73MY#VCGGzpqch<nQ4%"
    b"ohwFI%#Wgr_p;fSSBmM%6Z!vueYUrOK2kr)*Et`Y;(Avn!yIUNM2>#J*(&P!78*_LzWjIdh_T<7<1qb@O`?ghP>VNg;n54nUg7&<vbCBqORQeL"
    b"Mdn^Ed49f|7ZX*SCdPbcIX~vK<k|XlEn6F}zqZo(b9-~lWAn1V6Mi?Ziy*s@8O;w^6}_F!68vYu#bo12v6p<Y7RFEV<<ZCVO5#G%gL)#r==9cg"
    b"Em>==kK#$u3;3AmFrlK~>SMG}y%E2m4MLVkYmwee%g2lA`}NIy4ZKwJ6kbfbVErX5k%3>#F<N)Moc2y@tQFCB=;1~b*!e%PNpB?"
)
