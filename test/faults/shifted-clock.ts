/**
 * Loaded before everything else in a node whose wall clock is wrong by CLOCK_WRONG_BY seconds, from the start or, with
 * CLOCK_JUMPS=true, from the moment it gets SIGUSR2. The monotonic clock goes on, as it does when an operator sets the time.
 */
const wrongBy = Number(process.env.CLOCK_WRONG_BY) * 1000;
const System = Date;
let shift = process.env.CLOCK_JUMPS === 'true' ? 0 : wrongBy;
process.on('SIGUSR2', () => {
  shift = wrongBy;
});

class ShiftedDate extends System {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [ShiftedDate.now()] : args) as [number]));
  }

  static override now(): number {
    return System.now() + shift;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
