/** The process that installs what files need, while others run: programs of the system, one after the other. */
import { installNeeds } from './needs.ts';

process.on('message', (files: readonly string[]) => {
  process.send?.(installNeeds(files));
  process.disconnect?.();
});
