import './platform/compile-cache.ts';
import { becomeServer, startsServer } from './assembly/become-server.ts';

const args = process.argv.slice(2);
// Before the commands are loaded, which the server does not need.
if (startsServer(args, process.env)) becomeServer(process.env);
const { runCommand } = await import('./assembly/commands.ts');
process.exitCode = await runCommand(args, process);
