/**
 * A part that most deployments never use is loaded with its first use, and kept: to import again what is loaded takes 10 to 25 µs, which is
 * a good part of a request.
 */
export function keptImport<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= load();
    return kept;
  };
}
