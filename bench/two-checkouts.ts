/** This checkout and another one beside each other: both servers run, each with a store of its own that its own checkout filled. */
import { join } from 'node:path';
import type { Target } from './fixture.ts';
import type { StoreName } from './options.ts';
import type { Contents } from './servers/fill.ts';
import { openPlace, ROOT, type Started } from './servers/place.ts';

type Gatehouse = typeof import('./servers/gatehouse.ts');

export const THIS = 'this';
export const OTHER = 'other';

export interface TwoCheckouts {
  readonly targets: readonly Target[];
  close(): Promise<void>;
}

export async function openTwoCheckouts(store: StoreName, other: string, contents: Contents): Promise<TwoCheckouts> {
  const atEnd: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of atEnd.splice(0).reverse()) await end();
  };
  const startFrom = async (root: string): Promise<Started> => {
    const { prepareGatehouse, startGatehouse }: Gatehouse = await import(join(root, 'bench/servers/gatehouse.ts'));
    const place = await openPlace(store);
    atEnd.push(place.close);
    await prepareGatehouse(place, contents);
    const server = await startGatehouse(place);
    atEnd.push(server.stop);
    return server;
  };
  try {
    const { target: others } = await startFrom(other);
    const { target: own } = await startFrom(ROOT);
    return {
      targets: [
        { ...others, name: OTHER },
        { ...own, name: THIS },
      ],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
