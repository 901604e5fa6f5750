import assert from 'node:assert/strict';

/** An answer, which has to have this status. */
export async function withStatus<T extends { readonly status: number; readonly text: string }>(
  status: number,
  answering: T | Promise<T>,
): Promise<T> {
  const answered = await answering;
  assert.equal(answered.status, status, answered.text);
  return answered;
}
