import { providerFrame, withProvider } from '../../directory/providers/frame.console.ts';
import { type ConsoleContext, type ConsolePage, refusalOf, type View } from '../../operators/console-frame/page.ts';
import { factTable, timeOf } from '../../operators/console-frame/parts.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { moveText } from './console.text.ts';
import { getMove, type MoveView } from './operations.ts';

/** /console/providers/{id}/move: how far people have come, and whether the old system can go. */
export const movePage: ConsolePage = {
  place: 'providers',
  show: context =>
    withProvider(context, async (provider): Promise<View | Refusal> => {
      const told = await context.perform<MoveView>(getMove);
      if (told.kind !== 'done') return refusalOf(told);
      return providerFrame(context, provider, 'move', { body: body(context, told.value) });
    }),
};

function body({ locale }: ConsoleContext, move: MoveView) {
  const text = moveText[locale];
  const { moved, left, waiting, expected, last_moved_at: last, can_be_switched_off: isComplete } = move;
  const all = expected ?? moved + left + waiting;
  const number = (count: number) => count.toLocaleString(locale);
  return html`<section><h2>${text.title}</h2><p>${text.intro}</p>
<p class="${isComplete ? 'done' : 'note'}" role="status">${all > 0 && `${text.progress(number(moved), number(all))} `}${isComplete ? text.ready : text.notReady}</p>
${factTable([
  [text.moved, number(moved)],
  [text.left, number(expected === undefined ? left : Math.max(left, expected - moved))],
  [text.waiting, html`${number(waiting)}${waiting > 0 && html`<span class="sub">${text.waitingNote}</span>`}`],
  ...(expected === undefined ? [] : [[text.expected, number(expected)] as const]),
  [text.last, last === undefined ? text.never : timeOf(locale, last)],
])}</section>`;
}
