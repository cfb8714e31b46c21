DROP VIEW shown_estimator;
CREATE VIEW shown_estimator AS                   -- whose ranks to show: the last estimate's, the usual one's, or any
SELECT coalesce(
    (SELECT estimator FROM estimate WHERE id = (SELECT max(id) FROM estimate)
     AND EXISTS (SELECT 1 FROM rank WHERE rank.estimator = estimate.estimator)),
    (SELECT estimator FROM rank WHERE estimator = 'outside-model' LIMIT 1),
    (SELECT estimator FROM rank WHERE estimator < 'local' ORDER BY estimator LIMIT 1),
    (SELECT estimator FROM rank WHERE estimator > 'local' ORDER BY estimator LIMIT 1)) AS estimator;
