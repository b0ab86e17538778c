"""Networks of ONNX files against onnxruntime: recorded outputs, and files that are refused."""

import base64
import struct
import zlib

import numpy as np
import pytest

import holonom as hn

#: Sub, Div, Gemm (alpha, beta, transB), Tanh, MatMul, Add, Relu, Identity, Gemm, BatchNormalization, Sigmoid, Mul;
#: written by onnx 1.23 with raw and with typed numbers
NETWORKS = {
    "float64": (
        "eNptlH9QVFUUx/fuvoU3d4VdXhFrYkNPRvFRKAuNReFdkEJeA6NRlEXSe+xjebj7ltwfE1JNzVoWU9ZEmCI4gOaMTSZOgYvRXEcIleKH7UjlwI"
        "AiSwKCCzISWvR2d/Sv7j9nzpwf3889c+4lybRfSBgFwVuQsAqcRAGOVuU7eaiDgIMqu8NEAZ5WZYkumAUBD5UvJ0Mln0yBYprIFqxWRgvVnKW8"
        "lItWKIyoAQAmEhK84Aj4Z4J+BAxz7OQke6YeNAAlXAZBMQVMNPEiJ5VCCgKT3NNAAYEOy+UcuU4L1MoCBggECpTQqgyTKVBSQgEzTbwgWJwBVj"
        "OlNIs0mWMSJIfoqIDRUPblNilyZQoFxBAafAoCEQI7BDYIrBC4KFBGU5mco7g0z7bTylnEXZxDtElMFAwXyu2ixSZF2yh3mgwtM4AyCuygw/NF"
        "s9UmmgKqOyBRyllkkgpaJXNSKklwMLGkUqfJDI6O1dUeCJw2FLIXMLMiGA1MkdUpgmcEhazCyBSS6mBYHim75Vj84RjLset4Y5Ivsnr9PC7bnc"
        "5u6e7DHnV/fPVfl1Gl7W4cenwWjXag+VPR7aiv9h8p58QVPOqLOTkZex2v2dbd3DY/jvqW9m+iEhYRYyDVgd58MpvQMzzOaJwXUdEP+QOtP85h"
        "vvNc94pvpnFRY0f98QN/ox6Tc1PEwgXEHAcyEhFEMrANoOjI5jBv6x084Zt9eKW1BU/9UTfwRd0s/vqJhfNxq67hd7y9XW8/PYzXerZ/7vL6sJ"
        "fVdj7XcgUNmTMWS1Y3Y/cJrf/Q4FWsjY2qfn/DZbT35J5Tj+2dQNnE1PBvOYu4pz/BkCX14/ZHKrM38zO4/O6t3Lm1XbjWnfmps/EWXilMDwyu"
        "q0HLT3/8wVnhMN7j9mqe3eXF4UczavI6b2KGCcHyBjbuybGY5qTX/sR6c9Hz0S4//jC94/WZ7+bxQ76zpnM//4oYC0mQquDVUtg3kPJNzxj247"
        "Q11eaP2mbRnLHgmZxpH9r61e9NkbeXcG78wdTPyi6irZ68+sYGP/5+Zm7jyFQDupHGnp4uOIr27b5x5mD/En7pyOCy7pEeXJw6snpoez9uVY8U"
        "tJyfRgwd0uJTWH1iYlNn6vgszinphvDQOCpc7HKZavyYeTSYA+ys/pLxlfqofX70ieYSeK/iX1Rul5o12+bRvRQbq795Jya9J+kqSmxrSlzvUB"
        "mX1w1t+LLq2v0UK6vv7a1JSYKTKP2nyq5h3wSqsrv3F4qj94VcrD6vyvPtDHcbtVvXWSdWjSFibPJdVf0CYh4kQWCNA/vNkvc29VW9/C1QD8Ao"
        "UkNFwHBKzQfeDlSSSl6OVPxfRJVJQIUu4j+Gzpnm"
    ),
    "float32": (
        "eNptUltIFFEY3jMzq8OP5nq8IFv2MEbIgOHuGuRtJockAhVvYJg+zLrj7ujubLmz2yphgoRRQvkgJGSomHShwDCw0jnkW7D2kJRFGQT2EFEvoZ"
        "AUdnbFtx7Ow/m+8134/8PzFaNpkA0oDlxIUw2MVIFtiXrBAUgFNmL6MPIK7Ck9BkWAvMC0uYDxujDqErjTWigkZkKa2acaEaUATSEGMgB1YeQT"
        "uFbVCAAG5KMSN0aakFavmvXRIGRRvRuQhlG3wNb4fElJN0Z+gWvWgtFkFT9m/LrAn/Fphqmb/ZAH9E5tPFTpwUjfS4ZyQDqgCKAwoBCgGEY9Al"
        "ZUsyvQEO4LqUF9QDX1sCFmQ7p2PqIHw0ZeGA9XTCFEO6AejHqF9BbdHwrrvmRqL3ABNUib9Ass7YlZQzPFXJ5xIIFfTSSqVxN1lpKakZizh9ps"
        "Npmek0pyTGIZb0/BxQ9aa6S1T4+WJrcOys1vn1svuUPWO3dcSvx9U/3R6CTQrMkzZXNEobMUD/N2qskttibIfPEsuXz9onx/etFaH49T3usSO6"
        "grR180HtXHyNCddcluHyHRtRkyd6xQXiyZIJP5d61vNzZe7DKb1vRY5/LPjodySQtHdkqnySXnd3L8cZPFn1uwdp+NSPH5H5bTsWUdvXcime4W"
        "nSlvx84BO4njI9Kt5RUrurBaTZPdYhXP8SxlS53tv+TfDVtS4/IrUre5IXtyn0gx2wXSURaQh2ZuVm0PFpLZEoGMNg0SvaCWqts8Yn5Km/Hn9V"
        "W5MjRnKbF1ibp6xLw9/MqXTfnDypD8VH0vKyiyD9d/vW0tjI+Q7YZhoqDwPnzNGFg6W/RZqs3nKRzah8ddjFxny5IdleXUJCY6eERhLrkWJbXL"
        "9gL6r3EOZPMIZ0I6tnuTvwMYnvFSpv9/DKtwYHNk/gNhCOcd"
    ),
}
POINTS = np.array([[0.3, -0.7], [-1.2, 0.4], [2.0, 1.5]])
#: of onnxruntime 1.32
OUTPUTS = {
    "float64": [
        [0.1093187537761589, 0.44973684601647257, 0.26403948865089194],
        [0.09657458817897674, 0.4260289713461897, 0.3527238787884381],
        [0.03933755179579779, 0.4977897087298814, 0.3674400581466181],
    ],
    "float32": [
        [0.4999462962150574, 0.025280430912971497, 0.022312209010124207],
        [0.5, 0.02219344675540924, 0.00019772350788116455],
        [0.49990880489349365, 0.10418131947517395, 0.021153122186660767],
    ],
}


def written(tmp_path, kind):
    path = tmp_path / f"{kind}.onnx"
    path.write_bytes(zlib.decompress(base64.b64decode(NETWORKS[kind])))
    return path


@pytest.mark.parametrize(("kind", "near"), [("float64", 1e-15), ("float32", 5e-8)])
def test_networks_give_the_outputs_of_onnxruntime(tmp_path, kind, near):
    layers = hn.read_onnx(written(tmp_path, kind))
    assert [activation for *_, activation in layers] == ["tanh", "relu", "sigmoid", "linear"]
    functions = {"tanh": np.tanh, "relu": lambda z: np.maximum(z, 0), "sigmoid": lambda z: 1 / (1 + np.exp(-z))}
    a = POINTS.T
    for W, b, activation in layers:
        a = functions.get(activation, lambda z: z)(W @ a + b[:, None])
    assert np.abs(a.T - OUTPUTS[kind]).max() < near


def test_a_network_as_a_block(tmp_path):
    model = hn.Model("net", units="SI")
    for k in range(2):
        model.control.function(f"x{k}", f"{POINTS[0, k]} + TIME*({POINTS[1, k] - POINTS[0, k]})")
    model.control.neural("net", "x0", "x1", layers=hn.read_onnx(written(tmp_path, "float64")))
    run = hn.simulate(model, end=1.0, steps=1, integrator="RK4", step=0.5)
    for k in range(3):
        got = np.asarray(run.variable(f"net.y{k + 1}").values)
        assert got == pytest.approx([OUTPUTS["float64"][0][k], OUTPUTS["float64"][1][k]], abs=1e-12)


# ---- files that are refused -----------------------------------------------------------------------------------------
def field(number, value):
    """A field of a message: whole number, text, message or single-precision number."""
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def constant(name, shape, numbers, kind=1):
    numbers = b"".join(field(4, float(n)) for n in numbers)
    return field(5, b"".join(field(1, n) for n in shape) + field(2, kind) + numbers + field(8, name))


def node(operator, inputs, output, *attributes):
    names = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, operator)
    return field(1, names + b"".join(field(5, a) for a in attributes))


def network(*parts, outputs=("y",), inputs=("x",)):
    ends = b"".join(field(11, field(1, n)) for n in inputs) + b"".join(field(12, field(1, n)) for n in outputs)
    return field(7, b"".join(parts) + ends)


W = constant("W", (2, 1), (1.0, 2.0))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not an ONNX file, or it is damaged; export it again"),
        (b"not a network", "is not an ONNX file, or it is damaged"),
        (network(W, node("MatMul", ("x", "W"), "y"))[:-3], "is not an ONNX file, or it is damaged"),
        (network(W, node("Conv", ("x", "W"), "y")), "it has the operator 'Conv'; available are Gemm, MatMul"),
        (network(W, node("MatMul", ("x", "W"), "z")), "its output 'y' is not the end of one chain of layers"),
        (network(W, node("MatMul", ("z", "W"), "y")), "the operator MatMul '' does not continue one chain"),
        (network(node("Identity", ("x",), "y")), "it has no layers"),
        (network(W, inputs=("x", "z")), "its inputs are x, z, its outputs y; one each is needed"),
        (network(W, node("MatMul", ("x", "W"), "z"), node("MatMul", ("z", "W"), "y")), "a layer takes 2 values and 1"),
        (
            network(constant("W", (3, 1), (1.0, 2.0)), node("MatMul", ("x", "W"), "y")),
            "has 2 values for the shape .3, 1.",
        ),
        (network(constant("W", (1, 1), (), kind=16)), "the constant 'W' has the data type 16; export it as numbers"),
        (network(node("Relu", ("x",), "y")), "an activation comes before the first layer"),
        (
            network(W, node("Gemm", ("x", "W"), "y", field(1, "transA") + field(3, 1))),
            "Gemm has transA = 1; export it with transA = 0",
        ),
        (
            network(
                W, node("MatMul", ("x", "W"), "z"), node("LeakyRelu", ("z",), "y", field(1, "alpha") + field(2, 0.2))
            ),
            "LeakyRelu has alpha = 0.2; only 0.01 is available",
        ),
    ],
    ids=map(str, range(14)),
)
def test_files_that_are_refused(tmp_path, data, said):
    path = tmp_path / "net.onnx"
    path.write_bytes(data)
    with pytest.raises(hn.ModelError, match=said):
        hn.read_onnx(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(hn.ModelError, match="cannot be read"):
        hn.read_onnx(tmp_path / "none.onnx")
