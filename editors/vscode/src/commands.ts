/** What the user may have done; the server does it. */

import { setTimeout } from "node:timers/promises";
import * as vscode from "vscode";
import type { Candidates } from "./candidates";
import { shownDocument } from "./documents";
import { messageOf } from "./failure";
import { holeAt, holesOf, share } from "./hole";
import type { CandidateNode, HoleNode } from "./holeView";
import type { Pages } from "./pages";
import { markdownOf, modelsOf } from "./protocol";
import type { Server } from "./server";

type Scope = "hole" | "statement" | "file";

/** Where the user is. */
interface Spot {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
}

/** The commands that the server carries out. */
export class Commands {
  constructor(
    private readonly server: Server,
    private readonly candidates: Candidates,
    private readonly pages: Pages,
  ) {}

  /** Have all of them in the palette, on keys and in menus. */
  register(): vscode.Disposable {
    const at =
      (work: (spot: Spot) => Promise<void>): (() => Promise<void>) =>
      async () => {
        const spot = this.#spot();
        if (spot !== undefined) {
          await work(spot);
        }
      };
    const all: Readonly<Record<string, (node: never) => Promise<void>>> = {
      "gproj.fillHole": at((spot) => this.#fill("hole", spot)),
      "gproj.fillStatement": at((spot) => this.#fill("statement", spot)),
      "gproj.fillFile": at((spot) => this.#fill("file", spot)),
      "gproj.fillListed": ({ document, hole }: HoleNode) =>
        this.#fill("hole", { document, position: hole.range.start }),
      "gproj.writeListed": (node: CandidateNode) => this.#write(node.within, node.candidate.text),
      "gproj.pickCandidate": at((spot) => this.#pick(spot)),
      "gproj.goToNextHole": at((spot) => this.#go("gproj.nextHole", spot)),
      "gproj.goToPreviousHole": at((spot) => this.#go("gproj.previousHole", spot)),
      "gproj.openEnvironment": at((spot) => this.#open("gproj.showEnvironment", "Γ", spot)),
      "gproj.openGrammar": at((spot) => this.#open("gproj.showGrammar", "G[Γ]", spot)),
      "gproj.openExplanation": at((spot) => this.#open("gproj.explainFill", "The last fill", spot)),
      "gproj.pickModel": () => this.#pickModel(),
      "gproj.reload": () => this.#reload(),
    };
    const registered = Object.entries(all).map(([name, work]) =>
      vscode.commands.registerCommand(name, (node: never) => told(() => work(node))),
    );
    return vscode.Disposable.from(...registered);
  }

  #spot(): Spot | undefined {
    const document = shownDocument(this.server.selector);
    const position = vscode.window.activeTextEditor?.selection.active;
    return document && position && { document, position };
  }

  async #fill(scope: Scope, { document, position }: Spot): Promise<void> {
    await working("Filling", (token) =>
      this.server.command("gproj.fill", { uri: document.uri.toString(), scope, position }, token),
    );
  }

  async #write({ document, version, hole }: HoleNode, text: string): Promise<void> {
    await this.server.command("gproj.apply", {
      uri: document.uri.toString(),
      deed: "change",
      range: hole.range,
      text,
      version,
    });
  }

  async #pick({ document, position }: Spot): Promise<void> {
    const hole = holeAt(
      holesOf(vscode.languages.getDiagnostics(document.uri)),
      position.line,
      position.character,
    );
    if (hole === undefined) {
      void vscode.window.showInformationMessage("There is no hole at the cursor.");
      return;
    }
    const { version } = document;
    const listed = this.candidates.of(document, hole).then((found) =>
      found.map(({ text, probability }) => ({
        label: text,
        ...(probability === undefined ? {} : { description: share(probability) }),
      })),
    );
    const placeHolder = `${hole.sort}: ${hole.about}`;
    const picked = await vscode.window.showQuickPick(listed, { placeHolder });
    if (picked !== undefined) {
      await this.#write({ kind: "hole", document, version, hole }, picked.label);
    }
  }

  async #go(command: string, { document, position }: Spot): Promise<void> {
    await this.server.command(command, { uri: document.uri.toString(), position });
  }

  async #open(command: string, title: string, { document, position }: Spot): Promise<void> {
    const answer = await this.server.command(command, { uri: document.uri.toString(), position });
    const markdown = markdownOf(answer);
    if (markdown === "") {
      void vscode.window.showInformationMessage("There is nothing to show yet.");
      return;
    }
    await this.pages.show(title, markdown);
  }

  async #pickModel(): Promise<void> {
    const { model, models } = modelsOf(await this.server.command("gproj.chooseModel"));
    const listed = [...new Set([model, ...models])].map((label) => ({
      label,
      description: label === model ? "in use" : "",
    }));
    const picked = await vscode.window.showQuickPick(listed, {
      placeHolder:
        "The model that fills holes, until the window is closed; the setting gproj.model is for good",
    });
    if (picked !== undefined) {
      await working(`Loading ${picked.label}`, (token) =>
        this.server.command("gproj.chooseModel", picked.label, token),
      );
    }
  }

  async #reload(): Promise<void> {
    await working("Reading settings and schema", (token) =>
      this.server.command("gproj.refreshEnvironment", undefined, token),
    );
  }
}

/** Do something that may take a while; the user is told of it, and may stop it, when it does. */
async function working(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<unknown>,
): Promise<void> {
  const source = new vscode.CancellationTokenSource();
  const done = work(source.token);
  const ended = done.then(
    () => true,
    () => true,
  );
  if (!(await Promise.race([ended, setTimeout(PAUSE, false)]))) {
    const location = vscode.ProgressLocation.Notification;
    await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
      token.onCancellationRequested(() => {
        source.cancel();
      });
      return ended;
    });
  }
  await done;
}

/** Milliseconds after which something takes a while. */
const PAUSE = 1000;

/** Do something, and say what went wrong. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    void vscode.window.showWarningMessage(messageOf(error));
  }
}
