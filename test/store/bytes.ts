import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Which of these texts are in which files of the folder, whatever they belong to there. */
export function foundInFiles(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile());
  return files.flatMap(path => {
    const bytes = readFileSync(path);
    return texts.filter(text => bytes.includes(text)).map(text => `${path}: ${text}`);
  });
}
