import { namesIn } from '../../directory/access/membership-form.console.ts';
import type { FieldControl } from '../../directory/fields/form.console.ts';
import { field as labelled } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import { registrationText } from './console.text.ts';

const HOSTS = 'client_id_metadata.hosts';

/** Off, any host, or a list of hosts. */
export const clientIdMetadataControl: FieldControl = {
  show(locale, { name, text }, { values: { client_id_metadata: documents }, faults }) {
    const { documentOptions: options, hosts: hostsText } = registrationText[locale];
    const hosts = Array.isArray(documents) ? (documents as readonly string[]) : undefined;
    const [label, hint] = text[locale];
    const [hostsLabel, hostsHint] = hostsText;
    const value = hosts ? 'listed' : String(documents);
    return html`${labelled({ name, label, hint, value, kind: { options } }, faults)}${labelled(
      { name: HOSTS, label: hostsLabel, hint: hostsHint, value: hosts?.join('\n'), kind: 'lines' },
      faults,
    )}`;
  },
  read(form) {
    const documents = form.get('client_id_metadata');
    if (documents === undefined) return {};
    return { client_id_metadata: documents === 'listed' ? namesIn(form.get(HOSTS)) : documents };
  },
};
