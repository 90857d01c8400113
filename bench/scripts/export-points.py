#!/usr/bin/env python3
"""Exports the data sets of `bench applications` to the text format of LIBSVM.

    python3 -m venv venv && venv/bin/pip install h5py numpy scipy
    venv/bin/python bench/scripts/export-points.py FOLDER OUT

FOLDER holds the published files, each under the name in the table. OUT gets one file NAME.libsvm per data set. A file
that is missing is skipped with a message. Do not commit the exported files.

| data set | file | contents |
|---|---|---|
| usps | usps.h5 | handwritten digits, 256 pixels, 10 classes; the training part |
| letters | letter-recognition.data | 16 whole numbers from 0 to 15 per letter, 26 classes |
| adult | adult.data | income above or below 50 000; choices as indicators, numbers scaled to [0, 1] |
| w8a | w8a.libsvm | web pages, 300 indicators, 2 classes; copied |
| coil20 | COIL20.mat | images of 20 objects, 1024 pixels |
| isolet-2class | isolet.csv | spoken letters, 617 numbers, a subset with 2 classes |
"""

import csv
import pathlib
import sys

import numpy


def usps(path):
    import h5py

    with h5py.File(path) as file:
        return file["train/data"][:], file["train/target"][:]


def letters(path):
    rows = list(csv.reader(path.open()))[1:]
    return numpy.array([row[1:] for row in rows], float), [ord(row[0]) - ord("A") for row in rows]


def adult(path):
    header, *rows = [[word.strip() for word in row] for row in csv.reader(path.open()) if row]
    columns = []
    for name, values in list(zip(header, zip(*rows)))[:-1]:
        if name in ("age", "education-num", "hours-per-week"):
            numbers = numpy.array(values, float)
            columns.append((numbers - numbers.min()) / (numbers.max() - numbers.min()))
        else:
            columns += [numpy.array([value == choice for value in values], float) for choice in sorted(set(values))]
    return numpy.stack(columns, axis=1), [int(row[-1].startswith(">")) for row in rows]


def coil20(path):
    import scipy.io

    file = scipy.io.loadmat(path)
    images, classes = file["X"], file["gnd"].ravel()
    return (images.T if images.shape[1] == len(classes) else images), classes


def isolet(path):
    rows = numpy.loadtxt(path, delimiter=",")
    return rows[:, :-1], rows[:, -1]


READERS = {
    "usps": ("usps.h5", usps),
    "letters": ("letter-recognition.data", letters),
    "adult": ("adult.data", adult),
    "w8a": ("w8a.libsvm", None),
    "coil20": ("COIL20.mat", coil20),
    "isolet-2class": ("isolet.csv", isolet),
}


def write(path, points, classes):
    with path.open("w") as file:
        for row, label in zip(numpy.asarray(points, float), classes):
            words = [f"{index + 1}:{row[index]:.7g}" for index in numpy.flatnonzero(row)]
            file.write(" ".join([f"{int(label)}", *words]) + "\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: export-points.py FOLDER OUT")
    folder, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    for name, (file, reader) in READERS.items():
        source, target = folder / file, out / f"{name}.libsvm"
        if not source.is_file():
            print(f"{name}: skipped, {source} does not exist", file=sys.stderr)
        elif reader is None:
            target.write_bytes(source.read_bytes())
        else:
            points, classes = reader(source)
            write(target, points, classes)
            print(f"{name}: {len(classes)} points, {points.shape[1]} coordinates, {len(set(classes))} classes")


if __name__ == "__main__":
    main()
