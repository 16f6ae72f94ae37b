/**
 * A real workbench: VS Code served to a browser, with the packaged extension in it and a folder open.
 *
 * Everything is in a folder of its own that is gone afterwards; so are both processes.
 */
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** Milliseconds that anything may take; machines are slow at times. */
export const PATIENCE = Number(process.env.GPROJ_PATIENCE ?? 90) * 1000;

/**
 * Start one.
 *
 * @param {{codeServer: string, browser: string, extension: string, settings: object, files: Record<string, string>}} wanted
 *   The folder of code-server, the browser's program, the `.vsix`, the user's settings, and what the open folder holds.
 */
export async function start({ codeServer, browser, extension, settings, files }) {
  const home = mkdtempSync(path.join(tmpdir(), "gproj-workbench-"));
  const [data, folder] = [path.join(home, "data"), path.join(home, "shop")];
  for (const scope of ["User", "Machine"]) {
    write(path.join(data, scope, "settings.json"), JSON.stringify(settings));
  }
  for (const [name, text] of Object.entries(files)) {
    write(path.join(folder, name), text);
  }
  const program = path.join(codeServer, "node_modules/.bin/code-server");
  const where = ["--user-data-dir", data, "--extensions-dir", path.join(home, "extensions")];
  execFileSync(program, [...where, "--install-extension", extension], { stdio: "ignore" });
  const port = await freePort();
  const options = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry"];
  const server = spawn(program, [...where, ...options, "--disable-update-check", folder], {
    stdio: "ignore",
    detached: true,
  });
  const kill = () => {
    if (server.exitCode === null && server.signalCode === null) {
      process.kill(-server.pid, "SIGTERM");
    }
  };
  process.once("exit", kill);
  process.once("SIGTERM", () => process.exit(1));
  const chrome = await chromium.launch({ executablePath: browser, args: FLAGS });
  const page = await chrome.newPage({ viewport: { width: 1120, height: 660 } });
  page.setDefaultTimeout(PATIENCE);
  await answering(port);
  await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
  const stop = async () => {
    await chrome.close();
    const gone = once(server, "exit");
    kill();
    await gone;
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { page, stop, log: () => logOf(data) };
}

/** What a user does in it. */
export class User {
  constructor(page) {
    this.page = page;
  }

  /** Open a file of the folder, to stay. */
  async open(name) {
    await this.unfold("shop", true);
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Open or close a part of the side bar; the others get its room. */
  async unfold(title, open) {
    const header = this.page.locator(".pane-header", { hasText: title }).first();
    if ((await header.getAttribute("aria-expanded")) !== String(open)) {
      await header.click();
    }
  }

  /** Run a command by its title. */
  async command(title) {
    await this.press("F1");
    await this.page.locator(".quick-input-widget input").fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
    await this.press("Enter");
  }

  /** Put the cursor at a line and column, both from 1. */
  async go(line, column) {
    await this.press("Control+G");
    await this.page.locator(".quick-input-widget input").fill(`:${line}:${column}`);
    await this.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** Press keys until the cursor is in a line: they do nothing while the server has not seen the text as it is now. */
  async pressUntilIn(line, keys) {
    const place = this.page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${line}, `) });
    const end = Date.now() + PATIENCE;
    while ((await place.count()) === 0 && Date.now() < end) {
      await this.press(keys);
      await place.waitFor({ timeout: 3000 }).catch(() => undefined);
    }
    await place.waitFor();
  }

  async press(keys) {
    await this.page.keyboard.press(keys);
  }

  async type(text) {
    await this.page.keyboard.type(text, { delay: 30 });
  }

  /** The text of the editor, as far as it is seen. */
  text() {
    return this.page.evaluate(() => {
      const lines = [...document.querySelectorAll(".editor-instance .view-lines > .view-line")];
      const top = (line) => Number.parseInt(line.style.top, 10);
      const shown = lines.sort((one, other) => top(one) - top(other));
      return shown.map((line) => line.textContent.replaceAll("\u00a0", " ")).join("\n");
    });
  }

  /** Wait until the text of the editor fits. */
  async reads(fits) {
    const end = Date.now() + PATIENCE;
    for (let text = await this.text(); !fits(text); text = await this.text()) {
      if (Date.now() > end) {
        throw new Error(`the editor reads:\n${text}`);
      }
      await this.page.waitForTimeout(50);
    }
  }

  /** What is written in the text without being there: decorations of the extension. */
  async previews() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-instance .view-line span")]
        .map((span) => getComputedStyle(span, "::after").content)
        .filter((content) => content.startsWith('"') && content.length > 2),
    );
  }
}

/** What the extension logged. */
function logOf(data) {
  const files = readdirSync(path.join(data, "logs"), { recursive: true });
  const found = files.filter((file) => /gproj-lsp[^/]*\.log$/.test(file));
  return found.map((file) => readFileSync(path.join(data, "logs", file), "utf8")).join("\n");
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function answering(port) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      return;
    } catch (error) {
      if (Date.now() > end) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
