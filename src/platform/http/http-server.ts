/**
 * The server of node:http. An `import` of that module reads all its exports, and one of them loads the client of `fetch`, which nothing
 * here calls: 75 ms of processor time and 16 MB of memory for each process (docs/decisions/http.md).
 */
export const { createServer } = process.getBuiltinModule('node:http');
