const BATCH_SIZE = 200;

/**
 * Runs `work` for every item, some at a time, and returns the results in the order of the items. On PostgreSQL the reads of a batch
 * share their round trips; all at once would be as many promises as the file has users.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  onBatch?: (size: number) => void,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    const batch = items.slice(start, start + BATCH_SIZE);
    results.push(...(await Promise.all(batch.map((item, index) => work(item, start + index)))));
    onBatch?.(batch.length);
  }
  return results;
}
