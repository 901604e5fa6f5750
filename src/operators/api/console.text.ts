import { operatorTexts } from '../../platform/ui/texts.ts';

export const apiText = operatorTexts({
  en: {
    crumb: 'Admin API',
    about: 'Calls the admin API with your own rights.',
    parameters: 'Request',
    none: 'This call has no parameters.',
    body: 'Body (JSON)',
    send: 'Send request',
    confirm: 'Change this deployment',
    confirmHint: 'The call takes effect at once, as if a program had made it.',
    unconfirmed: 'Confirm that the call may change this deployment.',
    notJson: 'This is not valid JSON.',
    answer: 'Response',
    empty: 'The response has no body.',
  },
  zh: {
    crumb: '管理 API',
    about: '以您自己的权限调用管理 API。',
    parameters: '请求',
    none: '此调用不需要任何内容。',
    body: '请求体（JSON）',
    send: '发送请求',
    confirm: '更改此部署',
    confirmHint: '调用立即生效，与程序发出的请求相同。',
    unconfirmed: '请确认此调用可以更改此部署。',
    notJson: '这不是 JSON。',
    answer: '响应',
    empty: '响应没有正文。',
  },
});
