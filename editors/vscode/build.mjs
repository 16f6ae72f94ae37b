// Bundles the extension into dist/extension.js, and with --tests the unit tests into out/unit.
import { context } from "esbuild";
import { readdirSync } from "node:fs";

const flags = new Set(process.argv.slice(2));
const tests = flags.has("--tests");
const production = flags.has("--production");

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  sourcemap: !production,
  minify: production,
  legalComments: "none",
  logLevel: "warning",
};

const unit = "test/unit";
const work = await context(
  tests
    ? { ...common, entryPoints: readdirSync(unit).map((name) => `${unit}/${name}`), outdir: "out/unit" }
    : { ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js" },
);
await work.rebuild();
if (flags.has("--watch")) {
  await work.watch();
} else {
  await work.dispose();
}
