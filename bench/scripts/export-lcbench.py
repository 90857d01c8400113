#!/usr/bin/env python3
"""Exports the network of the LCBench surrogate (YAHPO Gym, model.onnx) to the file that targets::lcbench reads.

    python3 -m venv venv && venv/bin/pip install onnx numpy onnxruntime
    venv/bin/python bench/scripts/export-lcbench.py FOLDER lcbench.network [--answers lcbench.answers]

FOLDER holds model.onnx and encoding.json. With --answers, onnxruntime evaluates random configurations of seven tasks at
all epochs, for the test that compares the two implementations. Do not commit either file. The sigmoid of onnxruntime is
an approximation with an error of 1e-7. The shortest times are a small part of the range of times, so for them this
error amounts to a thousandth. The answers are therefore onnxruntime's values before the sigmoid, scaled by the exact
sigmoid. The script prints how far onnxruntime's own outputs are from these answers.

The network file, all numbers little-endian:

    "lcbench1"                               8 bytes
    tasks E inputs width hidden layers outputs   7 x u32
    tasks x u32                              OpenML task of each row of the embedding, 0 for none
    inputs x (logarithm, low, range)         f32; input = (x - low) / range, with ln(x + 1e-12) for x if logarithm = 1
    outputs x (exponential, low, range)      f32; value = low + range * sigmoid, then e^value - 1e-12 if exponential = 1
    embedding                                tasks x E
    first weights, biases                    width x (E + inputs), width
    for each layer:
      gate weights, biases                   2 hidden x width, 2 hidden   (the preceding normalisation is folded in)
      back weights, biases                   width x hidden, width
    last scale, shift                        width, width                 (the last normalisation)
    head weights, biases                     outputs x width, outputs
    checksum                                 u64, FNV-1a of all preceding bytes

The answers file: u32 count, then for each configuration u32 task, 7 x f32 (batch_size, learning_rate, momentum,
weight_decay, num_layers, max_units, max_dropout) and 52 x 6 x f32 of outputs.
"""

import argparse
import json
import pathlib
import struct

import numpy
import onnx
from onnx import numpy_helper

EPOCHS = 52
# Operations on a column, plain and logarithmic.
INPUT_RULES = [["Sub", "Div"], ["Add", "Log", "Sub", "Div"]]
OUTPUT_RULES = [["Mul", "Add"], ["Mul", "Add", "Exp", "Sub"]]
TASKS = [126025, 189354, 126029, 167201, 167161, 168330, 167168]


def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return state


class Graph:
    """The graph, searchable by the nodes that read each value."""

    def __init__(self, model):
        self.weights = {it.name: numpy_helper.to_array(it).astype(numpy.float64) for it in model.graph.initializer}
        self.nodes = list(model.graph.node)
        self.constants = {
            node.output[0]: numpy_helper.to_array(node.attribute[0].t)
            for node in self.nodes
            if node.op_type == "Constant"
        }

    def of_type(self, kind):
        return [node for node in self.nodes if node.op_type == kind]

    def readers(self, value):
        return [node for node in self.nodes if value in node.input]

    def chain(self, value):
        """Returns the operations that follow a value while it has a single reader, as (type, constant operand)."""
        found = []
        while len(readers := self.readers(value)) == 1:
            node = readers[0]
            operands = [self.constants[name] for name in node.input if name in self.constants]
            found.append((node.op_type, float(operands[0].ravel()[0]) if operands else None))
            value = node.output[0]
        return found


def columns(graph, source):
    """Yields, for each column gathered from a value, the operations on it up to the concatenation."""
    gathers = [node for node in graph.readers(source) if node.op_type == "Gather"]
    gathers.sort(key=lambda node: int(graph.constants[node.input[1]]))
    for node in gathers:
        operations = []
        for kind, operand in graph.chain(node.output[0]):
            if kind == "Concat":
                break
            if kind not in ("Cast", "Unsqueeze"):
                operations.append((kind, operand))
        yield operations


def rule(operations, expected):
    kinds = [kind for kind, _ in operations]
    for flag, kinds_of_flag in enumerate(expected):
        if kinds == kinds_of_flag:
            return float(flag), [operand for _, operand in operations]
    raise SystemExit(f"unsupported transformation of a column: {kinds}")


def affine(graph, name, epsilon):
    weight, bias = graph.weights[f"{name}.weight"], graph.weights[f"{name}.bias"]
    scale = weight / numpy.sqrt(graph.weights[f"{name}.running_var"] + epsilon)
    return scale, bias - graph.weights[f"{name}.running_mean"] * scale


def export(folder):
    graph = Graph(onnx.load(folder / "model.onnx"))
    weights = graph.weights
    epsilon = next(
        onnx.helper.get_attribute_value(it)
        for it in graph.of_type("BatchNormalization")[0].attribute
        if it.name == "epsilon"
    )
    inputs = []
    for operations in columns(graph, "x_cont"):
        flag, operands = rule(operations, INPUT_RULES)
        inputs.append((flag, operands[-2], operands[-1]))
    outputs = []
    for operations in columns(graph, graph.of_type("Sigmoid")[0].output[0]):
        flag, operands = rule(operations, OUTPUT_RULES)
        outputs.append((flag, operands[1], operands[0]))
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    embedding, first, head = weights["embds_fct.0.weight"], weights["first_layer.weight"], weights["head.weight"]
    hidden = weights["layers.0.linear1.weight"].shape[1]
    codes = json.loads((folder / "encoding.json").read_text())["OpenML_task_id"]
    tasks = [0] * len(embedding)
    for task, code in codes.items():
        tasks[code] = int(task) if task.isdigit() else 0

    body = b"lcbench1" + struct.pack(
        "<7I", len(embedding), embedding.shape[1], len(inputs), len(first), hidden, layers, len(outputs)
    )
    body += struct.pack(f"<{len(tasks)}I", *tasks)
    arrays = [numpy.array(inputs), numpy.array(outputs), embedding, first, weights["first_layer.bias"]]
    for layer in range(layers):
        name = f"layers.{layer}"
        scale, shift = affine(graph, f"{name}.norm", epsilon)
        gate = weights[f"{name}.linear0.weight"]
        arrays += [gate * scale, weights[f"{name}.linear0.bias"] + gate @ shift]
        arrays += [weights[f"{name}.linear1.weight"], weights[f"{name}.linear1.bias"]]
    arrays += [*affine(graph, "last_normalization", epsilon), head, weights["head.bias"]]
    body += b"".join(array.astype("<f4").tobytes() for array in arrays)
    return body + struct.pack("<Q", fnv1a(body)), codes


def answers(folder, codes, count=20):
    import onnxruntime

    model = onnx.load(folder / "model.onnx")
    graph = Graph(model)
    sigmoid = graph.of_type("Sigmoid")[0]
    scales = [
        rule(operations, OUTPUT_RULES) for operations in columns(graph, sigmoid.output[0])
    ]
    before = sigmoid.input[0]
    model.graph.output.append(onnx.helper.make_tensor_value_info(before, onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    farthest = numpy.zeros(len(scales))
    random = numpy.random.default_rng(1)
    parts = [struct.pack("<I", count * len(TASKS))]
    for task in TASKS:
        for _ in range(count):
            row = numpy.array([
                round(numpy.exp(random.uniform(numpy.log(16), numpy.log(512)))),
                numpy.exp(random.uniform(numpy.log(1e-4), numpy.log(1e-1))),
                random.uniform(0.1, 0.99),
                random.uniform(1e-5, 1e-1),
                random.integers(1, 6),
                round(numpy.exp(random.uniform(numpy.log(64), numpy.log(1024)))),
                random.uniform(0, 1),
            ], dtype=numpy.float32)
            epochs = numpy.arange(1, EPOCHS + 1, dtype=numpy.float32)[:, None]
            cont = numpy.hstack([epochs, numpy.repeat(row[None, :], EPOCHS, axis=0)])
            cat = numpy.full((EPOCHS, 1), codes[str(task)], dtype=numpy.int32)
            own, logits = session.run(None, {"x_cat": cat, "x_cont": cont})
            shares = 1.0 / (1.0 + numpy.exp(-logits.astype(numpy.float64)))
            out = numpy.empty_like(shares)
            for place, (flag, operands) in enumerate(scales):
                value = shares[:, place] * operands[0] + operands[1]
                out[:, place] = numpy.exp(value) - 1e-12 if flag else value
            farthest = numpy.maximum(farthest, numpy.max(numpy.abs(own / out - 1.0), axis=0))
            parts.append(struct.pack("<I", task) + row.tobytes() + out.astype("<f4").tobytes())
    print("largest relative difference between onnxruntime's own outputs and the exact ones:", farthest)
    return b"".join(parts)


def main():
    parser = argparse.ArgumentParser(description="Exports the LCBench surrogate for targets::lcbench.")
    parser.add_argument("folder", type=pathlib.Path, help="folder with model.onnx and encoding.json")
    parser.add_argument("network", type=pathlib.Path, help="file to write")
    parser.add_argument("--answers", type=pathlib.Path, help="also write onnxruntime's answers to this file")
    arguments = parser.parse_args()
    network, codes = export(arguments.folder)
    arguments.network.write_bytes(network)
    if arguments.answers:
        arguments.answers.write_bytes(answers(arguments.folder, codes))


if __name__ == "__main__":
    main()
