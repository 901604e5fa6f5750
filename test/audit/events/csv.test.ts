import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from '../../../src/audit/events/csv.rules.ts';

describe('a line of a table for spreadsheets (RFC 4180)', () => {
  const cases: readonly (readonly [cells: readonly (string | undefined)[], line: string])[] = [
    [['a', undefined, 'b'], 'a,,b'],
    [['one, two', 'say "x"', 'two\nlines'], '"one, two","say ""x""","two\nlines"'],
    [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
    [['\r=1', '=HYPERLINK("x")'], `"'\r=1","'=HYPERLINK(""x"")"`],
    [['a=b', '1-1'], 'a=b,1-1'],
  ];
  for (const [cells, line] of cases) {
    it(JSON.stringify(cells), () => assert.equal(csvLine(cells), `${line}\r\n`));
  }
});
