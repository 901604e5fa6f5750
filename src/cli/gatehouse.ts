import '../compile-cache.ts';

const { runCommand } = await import('./commands.ts');
process.exitCode = await runCommand(process.argv.slice(2), process.env);
