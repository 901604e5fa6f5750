import { Connection } from '../../load/connection.ts';
import { compile, type RequestForm } from '../../load/request.ts';

export type Ask = (form: RequestForm, value: string) => Promise<string>;

interface Caller {
  readonly number: number;
  /** Undefined: none yet, or the server closed it for want of requests. */
  connection: Connection | undefined;
  answer: { readonly resolve: (text: string) => void; readonly reject: (error: Error) => void } | undefined;
}

/** Callers with a connection each, which do one thing after the other. An answer that is a refusal ends everything. */
export class Callers {
  readonly #url: string;
  readonly #callers: readonly Caller[];
  readonly #renders = new Map<RequestForm, (value: string) => string>();

  constructor(url: string, count: number) {
    this.#url = url;
    this.#callers = Array.from({ length: count }, (_, number) => ({
      number,
      connection: undefined,
      answer: undefined,
    }));
  }

  /** Each of all, by whichever caller is free. */
  async each<T>(all: readonly T[], work: (one: T, ask: Ask) => Promise<void>): Promise<void> {
    let next = 0;
    const begin = async (caller: Caller) => {
      const ask: Ask = (form, value) => this.#ask(caller, form, value);
      while (next < all.length) await work(all[next++] as T, ask);
    };
    await Promise.all(this.#callers.map(begin));
  }

  close(): void {
    for (const { connection } of this.#callers) connection?.close();
  }

  async #ask(caller: Caller, form: RequestForm, value: string): Promise<string> {
    const render = this.#renders.get(form) ?? compile(form);
    this.#renders.set(form, render);
    caller.connection ??= await this.#connect(caller);
    const { connection } = caller;
    return new Promise((resolve, reject) => {
      caller.answer = { resolve, reject };
      connection.send(render(value));
    });
  }

  #connect(caller: Caller): Promise<Connection> {
    const answered = (_: Connection, status: number, text: string) => {
      const { answer } = caller;
      caller.answer = undefined;
      if (status < 400) answer?.resolve(text);
      else answer?.reject(new Error(text));
    };
    const lost = (error: Error) => {
      caller.connection = undefined;
      caller.answer?.reject(error);
    };
    return Connection.open(caller.number, this.#url, answered, lost);
  }
}
