import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { progressIn, steps } from "../../src/installation";

suite("installing", () => {
  test("makes an environment, and installs with its own pip, shut off from the folder's Python", () => {
    const [make, install, ...rest] = steps("/usr/bin/python3", "/store/server", "gproj-lsp[demo]", false);
    assert.deepEqual(rest, []);
    assert.deepEqual([make?.file, make?.args], ["/usr/bin/python3", ["-I", "-m", "venv", "/store/server"]]);
    assert.equal(install?.file, "/store/server/bin/python");
    assert.equal(install.args[0], "-I");
    assert.ok(install.args.includes("--upgrade"));
  });

  test("takes what is installed for a name, never for an option", () => {
    const [, install] = steps("python3", "/store/server", "--index-url=elsewhere", false);
    assert.deepEqual(install?.args.slice(-2), ["--", "--index-url=elsewhere"]);
  });

  test("tells of pip's output what a user understands", () => {
    const told = [
      "Collecting numpy>=1.24 (from gproj-lsp)",
      "  Downloading wheels/llama_cpp_python-0.3.16.tar.gz (50.7 MB)",
      "  Building wheel for llama-cpp-python (pyproject.toml): started",
      "Installing collected packages: a, b, c",
      "Requirement already satisfied: pip",
    ].map(progressIn);
    assert.deepEqual(told, [
      "Collecting numpy>=1.24",
      "Downloading llama_cpp_python-0.3.16.tar.gz",
      "Building wheel for llama-cpp-python",
      "Installing packages",
      undefined,
    ]);
  });
});
