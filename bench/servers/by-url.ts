import type { Target } from '../fixture.ts';
export async function targetByUrl(_peer: string, _folder: string, _tokens: number): Promise<Target> {
  throw new Error('later');
}
