/** One thing after another: the server lets a later question about a document take the place of an earlier one. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Do something when all that came before it is through, however it ended. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
