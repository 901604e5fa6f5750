import type { FieldControl } from '../../directory/fields/form.console.ts';
import { faultsInside, field as labelled } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import { agentFormText } from './console.text.ts';
import type { AgentOwner } from './rules.ts';

const NAME = 'owner.name';

/** A user or a group, and its name. */
export const ownerControl: FieldControl = {
  show(locale, { name, text }, { values, faults }) {
    const { options, name: nameText } = agentFormText[locale];
    const owner = values.owner as Partial<Record<'user' | 'group', string>> | undefined;
    const kind = owner?.group === undefined ? 'user' : 'group';
    const [label, hint] = text[locale];
    const [nameLabel, nameHint] = nameText;
    const value = owner?.[kind];
    return html`${labelled({ name, label, hint, value: kind, kind: { options } }, faultsInside(name, faults))}${labelled(
      { name: NAME, label: nameLabel, hint: nameHint, value, kind: 'text' },
      faults,
    )}`;
  },
  read(form) {
    const kind = form.get('owner');
    if (kind !== 'user' && kind !== 'group') return {};
    const name = (form.get(NAME) ?? '').trim();
    const owner: AgentOwner | undefined = name === '' ? undefined : kind === 'user' ? { user: name } : { group: name };
    return { owner: owner ?? null };
  },
};
