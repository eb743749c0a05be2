"""Computes every item of kfold.json with scikit-learn and prints them as CSV.

Only the folds are dealt by code that is written here, after the description in
the program's source; scaling, fit and scores are the library's. Needs
scikit-learn 1.2 or later (Debian: python3-sklearn).
"""

import csv
import json

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.preprocessing import StandardScaler

MASK = (1 << 32) - 1


def philox(counter, key):
    """Philox4x32-10 (Salmon and others, 2011)."""
    a, b, c, d = counter
    x, y = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q >> 32) ^ b ^ x, q & MASK, (p >> 32) ^ d ^ y, p & MASK
        x, y = (x + 0x9E3779B9) & MASK, (y + 0xBB67AE85) & MASK
    return a, b, c, d


def deal(labels, folds, shuffle):
    """Returns the fold of each row."""
    order = list(range(len(labels)))
    for i in range(len(order) - 1, 0, -1):
        block = i // 2
        w = philox((block & MASK, block >> 32, 0, 0), (shuffle & MASK, shuffle >> 32))
        upper = w[3] if i % 2 else w[1]  # of the draw's 64 bits
        j = upper * (i + 1) >> 32
        order[i], order[j] = order[j], order[i]
    dealt = [row for label in (0, 1) for row in order if labels[row] == label]
    fold = np.zeros(len(labels), dtype=int)
    for place, row in enumerate(dealt):
        fold[row] = place % folds
    return fold


with open("kfold.json") as f:
    job = json.load(f)
with open(job["inputs"]["data"]["file"]) as f:
    table = np.array([[float(v) for v in row] for row in list(csv.reader(f))[1:]])
x, y = table[:, :-1], table[:, -1].astype(int)
folds = job["params"]["folds"]
fold = deal(y, folds, job["params"]["shuffle"])

print("fold,penalty,accuracy,logloss,n")
for k in range(folds):
    train, test = fold != k, fold == k
    scaler = StandardScaler().fit(x[train])
    for penalty in job["split"]["grid"]["penalty"]["values"]:
        model = LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-14, max_iter=1000)
        model.fit(scaler.transform(x[train]), y[train])
        chances = model.predict_proba(scaler.transform(x[test]))
        print("%d,%r,%r,%r,%d" % (
            k, penalty, accuracy_score(y[test], chances[:, 1] > 0.5), log_loss(y[test], chances, eps=1e-300), test.sum()))
