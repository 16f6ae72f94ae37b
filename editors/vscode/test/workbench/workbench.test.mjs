/**
 * The packaged extension in a real workbench, with the real server and the embedded model.
 *
 *     GPROJ_CODE_SERVER=DIR npm run test:workbench
 *
 * DIR holds `node_modules/.bin/code-server` (4.100, from npm). Also read: GPROJ_SERVER, the gproj-lsp program (else the one on PATH);
 * GPROJ_CHROMIUM, a browser (else /usr/bin/chromium); GPROJ_PICTURES, the folder for pictures (else out/pictures);
 * GPROJ_PATIENCE, how many seconds anything may take.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, suite, test } from "node:test";
import { User, start } from "./workbench.mjs";

const HERE = path.resolve(import.meta.dirname, "../..");
const CODE_SERVER = process.env.GPROJ_CODE_SERVER ?? "";
const BROWSER = process.env.GPROJ_CHROMIUM ?? "/usr/bin/chromium";
const PICTURES = process.env.GPROJ_PICTURES ?? path.join(HERE, "out/pictures");

const SETTINGS = {
  ...(process.env.GPROJ_SERVER ? { "gproj.server.path": process.env.GPROJ_SERVER } : {}),
  "gproj.inline.asked-milliseconds": 60_000,
  "breadcrumbs.enabled": false,
  "chat.commandCenter.enabled": false,
  "editor.fontSize": 15,
  "editor.minimap.enabled": false,
  "editor.renderLineHighlight": "none",
  "explorer.openEditors.visible": 0,
  "extensions.ignoreRecommendations": true,
  "outline.problems.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.layoutControl.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

const SCHEMA = `CREATE TABLE customer (customer_no INTEGER PRIMARY KEY, full_name TEXT, mail_addr TEXT, city TEXT);
CREATE TABLE invoice (invoice_no INTEGER PRIMARY KEY, customer_no INTEGER REFERENCES customer, amount REAL, paid_on TEXT);
`;
const GHOST = `-- Whom to write to.
SELECT c.full_name, c.email
FROM customer c;
`;
const HOLES = `-- Who has not paid yet.
SELECT c.full_name, i.??
FROM customer c JOIN ?? i ON i.?? = c.customer_no
WHERE i.?? IS NULL;

SELECT {:Column "the town"}, count(*) FROM customer GROUP BY ??;
`;
const OVERVIEW = `-- Whom to write to.
SELECT c.full_name, c.email
FROM customer c;

-- What is not paid yet.
SELECT i.invoice_no, i.{:Column "how much"}
FROM invoice i
WHERE i.?? IS NULL;

-- names of customers in Paris
SELECT full_name FROM customer WHERE `;

const missing = [
  [
    existsSync(path.join(CODE_SERVER, "node_modules/.bin/code-server")),
    "GPROJ_CODE_SERVER leads to no code-server",
  ],
  [existsSync(BROWSER), `there is no ${BROWSER} (GPROJ_CHROMIUM)`],
].find(([there]) => !there);

suite("in a real workbench", { skip: missing?.[1] ?? false }, () => {
  let workbench;
  let user;
  let page;
  let broken = false;

  /** Each step stands on those before it. */
  const step = (name, work) =>
    test(name, async (context) => {
      if (broken) {
        context.skip("an earlier step failed");
        return;
      }
      broken = true;
      await work();
      broken = false;
    });
  const holes = () =>
    page
      .locator(".pane", { has: page.locator('.pane-header[aria-label^="Holes"]') })
      .locator(".monaco-list-row");
  const picture = (name) => page.screenshot({ path: path.join(PICTURES, `${name}.png`) });

  before(async () => {
    mkdirSync(PICTURES, { recursive: true });
    workbench = await start({
      codeServer: CODE_SERVER,
      browser: BROWSER,
      extension: path.join(HERE, "gproj-lsp.vsix"),
      settings: SETTINGS,
      files: {
        "gproj.toml": '[surfaces.sql]\nddl = ["schema.sql"]\n',
        "schema.sql": SCHEMA,
        "ghost.sql": GHOST,
        "holes.sql": HOLES,
        "overview.sql": OVERVIEW,
      },
    });
    page = workbench.page;
    user = new User(page);
  });

  after(async () => {
    await page?.screenshot({ path: path.join(PICTURES, "last.png") }).catch(() => undefined);
    if (workbench !== undefined) {
      writeFileSync(path.join(PICTURES, "gproj-lsp.log"), workbench.log());
      await workbench.stop();
    }
  });

  step("a folder that is not trusted says so, and a click leads to what mends it", async () => {
    await page.getByText("No, I don't trust the authors").click();
    await user.open("ghost.sql");
    const item = page.locator('[id="gproj.gproj-lsp.gproj.status"]');
    await item.locator(".codicon-shield").waitFor();
    assert.equal(await page.locator(".squiggly-error").count(), 0, "a schema that is not read says nothing");
    await picture("untrusted");
    await item.click();
    await page
      .locator(".workspace-trust-editor")
      .getByRole("button", { name: /^Trust$/ })
      .click();
    await item.locator(".codicon-shield").waitFor({ state: "detached" });
    await picture("trusted");
  });

  step("a ghost is underlined, and the light bulb's fix is one step to undo", async () => {
    await user.open("ghost.sql");
    await page.locator(".squiggly-error").first().waitFor();
    const before = await user.text();
    await user.go(2, 24);
    await user.press("Control+.");
    const fix = page
      .locator(".action-widget .monaco-list-row", { hasText: "Change to `mail_addr`" })
      .and(page.locator(".focused"));
    await fix.waitFor();
    await picture("bulb");
    await user.press("Enter");
    await user.reads((text) => text.includes("c.mail_addr"));
    await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    await page.locator(".editor-instance .view-line").first().click();
    await user.press("Control+Z");
    await user.reads((text) => text === before);
  });

  step("the tree has the holes, and under each what may stand there", async () => {
    await user.open("holes.sql");
    await user.unfold("Holes", true);
    await user.unfold("shop", false);
    const rows = holes();
    await rows.nth(5).waitFor();
    assert.equal(await rows.count(), 6);
    await rows.filter({ hasText: "the town" }).locator(".monaco-tl-twistie").click();
    const listed = rows.filter({ hasText: "%" });
    await listed.nth(3).waitFor();
    const names = await listed.locator(".label-name").allTextContents();
    assert.deepEqual(names.sort(), ["city", "customer_no", "full_name", "mail_addr"]);
    await picture("tree");
  });

  step("what the model writes is seen while it grows, and the fill is one step to undo", async () => {
    const before = await user.text();
    await page.locator(".editor-instance .view-line").first().click();
    await user.command("gproj: Fill All Holes in File");
    const seen = [];
    for (let text = before; text === before; text = await user.text()) {
      const now = await user.previews();
      if (now.length > 0) {
        seen.push(now);
        if (now.length === 3) {
          await picture("growing");
        }
      }
    }
    assert.ok(seen.length > 0, "something was seen before it was there");
    await user.reads((text) => !text.includes("??") && !text.includes("{:"));
    assert.deepEqual(await user.previews(), [], "nothing of the preview stays");
    assert.equal(await page.locator(".squiggly-error").count(), 0);
    await picture("filled");
    await user.press("Control+Z");
    await user.reads((text) => text === before);
  });

  step("keys go round the holes and fill the one at the cursor", async () => {
    await user.press("Control+Home");
    await user.pressUntilIn(2, "Alt+N");
    await user.pressUntilIn(3, "Alt+N");
    const before = await user.text();
    await user.press("Alt+Enter");
    await user.reads((text) => text.split("??").length === before.split("??").length - 1);
    await user.press("Control+Z");
    await user.reads((text) => text === before);
  });

  step(
    "text that names only what exists is shown at the cursor, taken with a key, and undone in one step",
    async () => {
      await user.open("overview.sql");
      await page.locator(".squiggly-error").first().waitFor();
      const rows = holes();
      await rows.nth(1).waitFor();
      await user.unfold("shop", false);
      await rows.nth(1).locator(".monaco-tl-twistie").click();
      await rows.filter({ hasText: "%" }).first().waitFor();
      await user.go(11, 38);
      const before = await user.text();
      await user.command("Trigger Inline Suggestion");
      const shown = page.locator(".ghost-text, .ghost-text-decoration").first();
      await shown.waitFor();
      await picture("overview");
      const text = (await shown.textContent()) ?? "";
      assert.ok(text.trim().length > 1, "there is something to read");
      await user.press("Tab");
      await user.reads((now) => now !== before && now.startsWith(before.trimEnd()));
      await user.press("Control+Z");
      await user.reads((now) => now === before);
    },
  );
});
