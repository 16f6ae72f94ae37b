/** The server: found, started with what this user wants, asked, and started again. */

import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { abilities } from "./abilities";
import type { Life } from "./board";
import { findServer, type Found } from "./discovery";
import { selectorOf, type Manifest } from "./documents";
import { messageOf } from "./failure";
import { places } from "./places";
import { system } from "./programs";
import { STATUS, STREAM, statusOf, streamedOf, type Status, type Streamed } from "./protocol";
import { SECTION, told } from "./settings";
import { Turns } from "./turns";
import { writtenOn } from "./writing";

/** The one server of this window. */
export class Server implements vscode.Disposable {
  /** The documents that it is told of. */
  readonly selector: vscode.DocumentFilter[];

  readonly #lives = new vscode.EventEmitter<Life>();
  readonly #statuses = new vscode.EventEmitter<Status>();
  readonly #streams = new vscode.EventEmitter<Streamed>();
  readonly #turns = new Turns();
  readonly #manifest: Manifest;
  #client: LanguageClient | undefined;

  /** Whether it is there, whenever that changes. */
  readonly onLife = this.#lives.event;
  /** What it says of its model, of folders and of documents. */
  readonly onStatus = this.#statuses.event;
  /** Text that it writes, while it grows. */
  readonly onStream = this.#streams.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#manifest = context.extension.packageJSON as Manifest;
    this.selector = selectorOf(this.#manifest);
  }

  /** Find it and start it; one that runs is stopped first. Gives what was found. */
  start(): Promise<Found> {
    return this.#turns.take(async () => {
      await this.#end();
      this.#lives.fire("starting");
      const found = await findServer(await places(this.context, this.log), system);
      if (found.kind !== "server") {
        this.#lives.fire("missing");
        return found;
      }
      this.log.info(`gproj-lsp ${found.version}: ${found.file} (${found.from})`);
      await this.#begin(found.file);
      return found;
    });
  }

  /** Stop it, for as long as something else is done with its files. */
  stop(): Promise<void> {
    return this.#turns.take(() => this.#end());
  }

  /**
   * Ask it something.
   *
   * @returns What it answers; undefined where nobody wants the answer any more.
   * @throws Error - It can't, and says why.
   */
  async request(method: string, params: object, token = UNCANCELLED): Promise<unknown> {
    if (this.#client === undefined) {
      throw new Error("gproj-lsp does not run");
    }
    try {
      return await this.#client.sendRequest<unknown>(method, params, token);
    } catch (error) {
      if (isSuperseded(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Have it carry out a command; otherwise as `request`. */
  command(name: string, argument?: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    const params = { command: name, arguments: argument === undefined ? [] : [argument] };
    return this.request(ExecuteCommandRequest.method, params, token);
  }

  dispose(): void {
    void this.stop();
    for (const each of [this.#lives, this.#statuses, this.#streams]) {
      each.dispose();
    }
  }

  async #begin(file: string): Promise<void> {
    const client = new LanguageClient(
      SECTION,
      "gproj-lsp",
      { command: file, args: ["serve"] },
      this.#options(),
    );
    client.registerFeature(abilities());
    client.onDidChangeState(({ newState }) => {
      if (client === this.#client) {
        this.#lives.fire(LIVES[newState]);
      }
    });
    client.onNotification(STATUS, (given: unknown) => {
      forward(this.#statuses, statusOf(given), client);
    });
    client.onNotification(STREAM, (given: unknown) => {
      forward(this.#streams, streamedOf(given), client);
    });
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`it does not start: ${String(error)}`);
      this.#lives.fire("stopped");
    }
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`it did not end well: ${String(error)}`);
    }
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: this.selector.map(({ language }) => ({ language: language ?? "" })),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { trusted: vscode.workspace.isTrusted },
      middleware: {
        workspace: { configuration: ({ items }) => items.map(() => this.#settings()) },
        provideInlineCompletionItems: (document, position, asked, token, next) =>
          asked.triggerKind === vscode.InlineCompletionTriggerKind.Invoke
            ? writtenOn(this, { document, position, token, log: this.log })
            : next(document, position, asked, token),
        executeCommand: async (command, [argument]) => {
          try {
            return await this.command(command, argument);
          } catch (error) {
            void vscode.window.showWarningMessage(messageOf(error));
            return undefined;
          }
        },
      },
    };
  }

  #settings(): Readonly<Record<string, unknown>> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const { properties } = this.#manifest.contributes.configuration;
    return told(Object.keys(properties), (key) => settings.inspect(key), vscode.workspace.isTrusted);
  }
}

/** For whoever waits in any case; the client would send a token that is undefined as a second parameter. */
const UNCANCELLED = new vscode.CancellationTokenSource().token;

const LIVES: Readonly<Record<State, Life>> = {
  [State.Starting]: "starting",
  [State.StartFailed]: "stopped",
  [State.Running]: "running",
  [State.Stopped]: "stopped",
};

/** URIs are written as the editor writes them, so that they can be compared. */
function forward<T extends { readonly uri: string }>(
  events: vscode.EventEmitter<T>,
  told: T | undefined,
  client: LanguageClient,
): void {
  if (told !== undefined) {
    events.fire(
      told.uri === "" ? told : { ...told, uri: client.protocol2CodeConverter.asUri(told.uri).toString() },
    );
  }
}

function isSuperseded(error: unknown): boolean {
  return (
    error instanceof vscode.CancellationError ||
    (error instanceof ResponseError &&
      [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled, LSPErrorCodes.ContentModified].includes(
        error.code,
      ))
  );
}
