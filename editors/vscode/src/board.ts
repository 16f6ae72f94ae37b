/** How the server is, put together from what it said of its model, of folders and of documents. */

import type { State, Status } from "./protocol";

/** Whether there is a server at all. */
export type Life = "missing" | "starting" | "running" | "stopped";

/** What the status bar shows. */
export interface Sign {
  /** With a codicon. */
  readonly text: string;
  readonly tooltip: string;
  /** The command that a click runs, with its arguments. */
  readonly command: string;
  readonly arguments: readonly string[];
  readonly severity: "none" | "warning" | "error";
}

/** The worst first: of several things to tell, the status bar tells this one. */
const WORST: readonly State[] = [
  "failed",
  "noModel",
  "untrusted",
  "schemaStale",
  "excluded",
  "loading",
  "ready",
];

/** Everything that the server said. */
export class Board {
  readonly #told = new Map<string, Status>();

  /** Take what the server says of one thing. */
  put(status: Status): void {
    this.#told.set(status.uri, status);
  }

  /** Forget it all: there is another server. */
  clear(): void {
    this.#told.clear();
  }

  /** The worst of what concerns a document: of itself, of folders around it, and of the model. */
  worst(document: string): Status | undefined {
    const concerned = [...this.#told.values()].filter(({ uri }) => concerns(uri, document));
    const rank = ({ state }: Status): number => WORST.indexOf(state);
    return concerned.reduce<Status | undefined>(
      (worst, each) => (worst === undefined || rank(each) < rank(worst) ? each : worst),
      undefined,
    );
  }
}

/** What to show for a server and the worst of what it said. */
export function sign(life: Life, worst: Status | undefined, trusted: boolean): Sign {
  return life === "running" ? running(worst, trusted) : absent(life, trusted);
}

function concerns(uri: string, document: string): boolean {
  return uri === "" || uri === document || document.startsWith(uri.endsWith("/") ? uri : `${uri}/`);
}

function absent(life: Exclude<Life, "running">, trusted: boolean): Sign {
  switch (life) {
    case "starting":
      return simple("$(loading~spin) gproj", "gproj-lsp starts", "gproj.showLog");
    case "stopped":
      return {
        ...simple("$(error) gproj", "gproj-lsp stopped: restart it", "gproj.restart"),
        severity: "error",
      };
    case "missing":
      return trusted
        ? {
            ...simple("$(warning) gproj", "gproj-lsp is not installed: install it", "gproj.install"),
            severity: "warning",
          }
        : { ...simple("$(shield) gproj", "gproj-lsp is not installed", MANAGE), severity: "warning" };
  }
}

const MANAGE = "workbench.trust.manage";

function running(worst: Status | undefined, trusted: boolean): Sign {
  if (worst === undefined || worst.state === "ready") {
    return simple("$(check) gproj", "gproj-lsp is ready: choose the model", "gproj.pickModel");
  }
  if (worst.state === "loading") {
    return simple("$(loading~spin) gproj", `gproj-lsp: ${worst.cause}`, "gproj.showLog");
  }
  const mending = mend(worst, trusted);
  const advice = ADVICE[mending.command];
  return {
    text: `${ICONS[worst.state]} gproj`,
    tooltip: advice === undefined ? worst.cause : `${worst.cause}\n\n${advice}`,
    ...mending,
    severity: worst.state === "failed" ? "error" : worst.state === "excluded" ? "none" : "warning",
  };
}

const ICONS: Readonly<Record<Exclude<State, "ready" | "loading">, string>> = {
  failed: "$(error)",
  noModel: "$(warning)",
  untrusted: "$(shield)",
  schemaStale: "$(warning)",
  excluded: "$(circle-slash)",
};

const ADVICE: Readonly<Record<string, string>> = {
  [MANAGE]: "Click to manage whether this folder is trusted.",
  "gproj.trust": "Click to trust this folder.",
  "gproj.pickModel": "Click to choose a model.",
  "gproj.reload": "Click to read the schema again.",
  "gproj.showLog": "Click to see the log.",
};

/** What a click does: the server's own command where ours does not ask for something first. */
function mend(status: Status, trusted: boolean): Pick<Sign, "command" | "arguments"> {
  switch (status.command) {
    case "gproj.trust":
      return trusted
        ? { command: "gproj.trust", arguments: [status.uri] }
        : { command: MANAGE, arguments: [] };
    case "gproj.chooseModel":
      return { command: "gproj.pickModel", arguments: [] };
    case "gproj.refreshEnvironment":
      return { command: "gproj.reload", arguments: [] };
    case "":
      return { command: "gproj.showLog", arguments: [] };
    default:
      return { command: status.command, arguments: [] };
  }
}

function simple(text: string, tooltip: string, command: string): Sign {
  return { text, tooltip, command, arguments: [], severity: "none" };
}
