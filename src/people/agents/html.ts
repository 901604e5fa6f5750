import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, time } from '../account/frame.ts';
import { agentsText } from './text.ts';

export interface AgentView {
  readonly app: string;
  readonly applicationName: string;
  readonly clientId: string;
  readonly name: string;
  /** The group that owns it. Undefined: the person alone. */
  readonly group: string | undefined;
  /** What it may without asking, in words. */
  readonly scope: readonly string[];
  readonly stoppedAt: number | undefined;
}

export function agentsPage(locale: Locale, agents: readonly AgentView[]): Reply {
  const text = agentsText[locale];
  const content =
    agents.length === 0
      ? html`<p>${text.none}</p>`
      : html`<p>${text.intro}</p>\n<ul class="rows">\n${agents.map(each => row(locale, each))}</ul>
<p class="muted">${text.asked} <a href="/account/access">${text.access}</a></p>`;
  return accountPage({ locale, place: 'access', title: text.title, content });
}

function row(locale: Locale, agent: AgentView): Html {
  const text = agentsText[locale];
  const isStopped = agent.stoppedAt !== undefined;
  return html`<li><span><strong>${agent.name}</strong> · ${agent.applicationName}${agent.group !== undefined && html` · ${text.ofGroup(agent.group)}`}<br>
<span class="muted">${agent.scope.length === 0 ? text.nothing : agent.scope.join(' · ')}${isStopped && html`<br>\n${text.stopped} ${time(locale, agent.stoppedAt ?? 0)}`}</span></span>
<form method="post" action="/account/agents"><input type="hidden" name="app" value="${agent.app}"><input type="hidden" name="${isStopped ? 'start' : 'stop'}" value="${agent.clientId}"><button type="submit" class="small">${isStopped ? text.start : text.stop}</button></form></li>
`;
}
