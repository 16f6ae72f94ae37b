/** What this editor can do beside the protocol, and what it had better not be asked. */

import * as vscode from "vscode";
import type { StaticFeature } from "vscode-languageclient/node";
import { SECTION } from "./settings";

/** Told to the server when it starts. */
export function abilities(): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { [SECTION]: { status: true, stream: true } };
      if (!vscode.workspace.isTrusted) {
        // The editor itself asks whether the folder is trusted; to be asked twice helps nobody.
        delete capabilities.window?.showMessage;
      }
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}
