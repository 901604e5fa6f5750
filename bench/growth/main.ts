/**
 * `npm run bench:growth`: whether work costs the same when there is much more of everything. Two servers, one with few and
 * one with many, are measured in turn; the ratio of a round is what counts. `--axis` says what grows.
 */
import { endLoad } from '../load/load.ts';
import { measureApplications } from './applications.ts';
import { measureChurn } from './churn.ts';
import { measureCodes } from './codes.ts';
import { type Axis, type Options, readOptions, USAGE } from './options.ts';
import { publish, type Report } from './report.ts';
import { Stage } from './stage.ts';
import { measureTokens } from './tokens.ts';
import { measureUsers } from './users.ts';
import { measureWorkers } from './workers.ts';

const measures: Readonly<Record<Axis, (stage: Stage, options: Options) => Promise<Report>>> = {
  tokens: measureTokens,
  applications: measureApplications,
  users: measureUsers,
  codes: measureCodes,
  workers: measureWorkers,
  churn: measureChurn,
};

const all = readOptions(process.argv.slice(2));
if (!all) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(64);
}
for (const options of all) {
  const stage = new Stage(options.store);
  try {
    publish(options, await measures[options.axis](stage, options));
  } finally {
    endLoad();
    await stage.close();
  }
}
