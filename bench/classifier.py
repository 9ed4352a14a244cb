"""A logistic regression that is calibrated or repaired, by one line of scikit-learn each: errors on 20,000 new rows.

python bench/classifier.py [--draws 2] [--quick]: as `repair.py`, into bench/classifier.csv.
"""

import sys

import numpy as np
import pandas as pd
import repair
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from templates import render

from helpers.practice.repair import RepairedClassifier

SUMMARY = repair.HERE / "classifier.csv"


def regression():
    return make_pipeline(StandardScaler(), LogisticRegression())


def fitted(make):
    """An estimator of `repair.measure`, which gives stated scores that are not used here."""

    def learn(y, p, X, seed):
        model = make(seed).fit(X, y)
        return lambda p_new, X_new: model.predict_proba(X_new)[:, 1]

    return learn


def mcgrad(y, p, X, seed):
    """MCGrad on scores that the regression states for rows it has not seen."""
    stated = cross_val_predict(regression(), X, y, cv=5, method="predict_proba")[:, 1]
    model = regression().fit(X, y)
    predict = repair.mcgrad(y, stated, X, seed)
    return lambda p_new, X_new: predict(model.predict_proba(X_new)[:, 1], X_new)


ESTIMATORS = {
    "regression alone": fitted(lambda seed: regression()),
    "CalibratedClassifierCV": fitted(lambda seed: CalibratedClassifierCV(regression(), cv=5)),
    "MCGrad": mcgrad,
    "RepairedClassifier": fitted(lambda seed: RepairedClassifier(regression(), random_state=seed)),
}


def section(path=SUMMARY):
    """The summary as Markdown for the page of measurements (`classifier.md.j2`)."""
    table = repair.read(path)
    wide = table.pivot(index=["population", "n"], columns="estimator", values=["rmse", "seconds"])
    wide = wide.reindex(pd.MultiIndex.from_frame(table[["population", "n"]].drop_duplicates()))
    ours = wide.xs("RepairedClassifier", axis=1, level=1)
    ratios = {who: ours / wide.xs(who, axis=1, level=1) for who in ESTIMATORS if who != "RepairedClassifier"}
    return render(
        "classifier.md.j2",
        titles=repair.TITLES,
        estimators=list(ESTIMATORS),
        rows=[(*key, wide.loc[key]) for key in wide.index],
        error={who: float(np.exp(np.log(ratio["rmse"]).mean())) for who, ratio in ratios.items()},
        seconds=float(ratios["MCGrad"]["seconds"].median()),
    )


if __name__ == "__main__":
    sys.exit(repair.main(name="classifier", estimators=ESTIMATORS))
