import '../compile-cache.ts';
import { becomeServer, startsServer } from './become-server.ts';

const args = process.argv.slice(2);
// Before the commands are loaded, which the server does not need.
if (startsServer(args)) becomeServer(process.env);
const { runCommand } = await import('./commands.ts');
process.exitCode = await runCommand(args, process);
