import { type Html, html } from '../../platform/ui/html.ts';
import type { AnyOperation, OperationAddress } from '../api/operation-table.ts';
import type { ConsoleContext, ConsolePage, View } from '../console-frame/page.ts';
import { factTable } from '../console-frame/parts.ts';
import { proposalText } from './console.text.ts';
import { openProposal, type Proposal, takeProposal } from './proposal.ts';

/** /console/proposals/{proposal}: an operator sees what an assistant wants to do, and approves it with a recent sign-in, once. */
export const proposedAct: ConsolePage = {
  dangerous: 'all',
  show: async context => {
    const found = await proposedIn(context);
    return found ? view(context, found, approval(context)) : gone(context);
  },
  submit: async context => {
    const found = await proposedIn(context);
    if (!found || !(await takeProposal(context.services, found.proposal))) return gone(context);
    const text = proposalText[context.locale];
    const outcome = await context.perform<unknown>(found.operation, found.proposal.input);
    if (outcome.kind === 'refused') return outcome.refusal;
    if (outcome.kind === 'faults') {
      const faults = [...outcome.faults].map(([name, fault]) => (name === '' ? fault : `${name}: ${fault}`)).join(' ');
      return {
        ...view(context, found, html`<div class="alert" role="alert" tabindex="-1">${faults}</div>`),
        status: 400,
      };
    }
    const answer = JSON.stringify(outcome.value, null, 2);
    return view(
      context,
      found,
      html`<div class="notice" role="status">${text.done}</div>${answer !== undefined && html`<section><h2>${text.answer}</h2><pre>${answer}</pre></section>`}`,
    );
  },
};

interface Proposed {
  readonly proposal: Proposal;
  readonly address: OperationAddress;
  readonly operation: AnyOperation;
}

async function proposedIn({ services, params, operator }: ConsoleContext): Promise<Proposed | undefined> {
  const proposal = openProposal(services, params.proposal ?? '', operator.sub);
  const address = services.tables.operations.addresses.find(({ id }) => id === proposal?.operation);
  return proposal && address && { proposal, address, operation: await address.load() };
}

function approval({ locale }: ConsoleContext): Html {
  const text = proposalText[locale];
  return html`<form method="post"><input type="hidden" name="action" value="approve">
<p class="hint">${text.hint}</p><button type="submit" class="danger">${text.approve}</button></form>`;
}

function view({ locale }: ConsoleContext, { proposal, address, operation }: Proposed, end: Html): View {
  const text = proposalText[locale];
  const { params, query, body } = proposal.input;
  const facts = [...Object.entries(params), ...Object.entries(query)];
  return {
    title: text.title,
    about: html`${text.about}`,
    body: html`<section><h2>${operation.summary.split('. ')[0]}</h2>
${factTable([[text.call, html`<code>${address.method} ${address.path}</code>`], ...facts])}
${body !== undefined && html`<h3>${text.body}</h3><pre>${JSON.stringify(body, null, 2)}</pre>`}</section>
${end}`,
  };
}

function gone({ locale }: ConsoleContext): View {
  const text = proposalText[locale];
  return { title: text.title, status: 410, body: html`<p>${text.gone}</p>` };
}
