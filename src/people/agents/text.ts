import { texts } from '../../platform/ui/texts.ts';

/** /account/agents. */
export const agentsText = texts({
  en: {
    title: 'Your agents',
    intro:
      'You are responsible for these agents. Each can do the following without asking you. If you stop an agent, all its access ends immediately.',
    none: 'You are not responsible for any agents.',
    ofGroup: (group: string) => `group ${group}`,
    nothing: 'Nothing without asking',
    stopped: 'Stopped',
    stop: 'Stop',
    start: 'Start again',
    asked: 'Access that you gave to an agent when it asked is listed with everything else that has access:',
    access: 'Access',
    asks: (agent: string, application: string) =>
      `${agent} is an agent that you are responsible for. At ${application}, it asks for more than it is allowed to do on its own.`,
    warning: 'Allow it only if the agent should do this now.',
  },
  zh: {
    title: '您的智能体',
    intro: '以下智能体由您负责。它们无需询问即可执行下列操作。停用后，其全部访问权限立即失效。',
    none: '没有由您负责的智能体。',
    ofGroup: group => `用户组 ${group}`,
    nothing: '未经询问不可执行任何操作',
    stopped: '停用时间',
    stop: '停用',
    start: '重新启用',
    asked: '智能体向您请求的权限与其他访问权限列在一起：',
    access: '访问权限',
    asks: (agent, application) => `${agent} 是由您负责的智能体。它在 ${application} 请求超出其自身权限的操作。`,
    warning: '仅当智能体现在应执行此操作时才同意。',
  },
  de: {
    title: 'Ihre Agenten',
    intro:
      'Sie sind für diese Agenten verantwortlich. Jeder darf ohne Rückfrage Folgendes. Wenn Sie einen anhalten, endet sein gesamter Zugriff sofort.',
    none: 'Sie sind für keinen Agenten verantwortlich.',
    ofGroup: group => `Gruppe ${group}`,
    nothing: 'Nichts ohne Rückfrage',
    stopped: 'Angehalten',
    stop: 'Anhalten',
    start: 'Wieder starten',
    asked: 'Worum ein Agent Sie gebeten hat, steht bei allem anderen, das Zugriff hat:',
    access: 'Zugriff',
    asks: (agent, application) =>
      `${agent} ist ein Agent, für den Sie verantwortlich sind. Er bittet bei ${application} um mehr, als er allein darf.`,
    warning: 'Erlauben Sie es nur, wenn der Agent das jetzt tun soll.',
  },
});
