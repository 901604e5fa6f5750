import { operatorTexts } from '../../platform/ui/texts.ts';

export const webhooksPlace = operatorTexts({ en: 'Webhooks', zh: 'Webhook' });

export const webhooksText = operatorTexts({
  en: {
    create: 'New webhook',
    columns: ['URL', 'Application', 'Events', 'State', 'Created'],
    empty: 'No webhooks yet. A webhook sends events to a URL of yours as they happen.',
    all: 'All',
    types: (count: number) => (count === 1 ? '1 type' : `${count} types`),
    active: 'Active',
    failing: 'Failing',
    paused: {
      operator: 'Paused',
      failing: 'Paused after repeated failures',
      gone: 'Paused: the receiver responded with 410 Gone',
    },
  },
  zh: {
    create: '新建 Webhook',
    columns: ['地址', '应用', '事件', '状态', '创建时间'],
    empty: '还没有 Webhook。Webhook 会把事件实时发送到您的地址。',
    all: '全部',
    types: count => `${count} 种`,
    active: '正常',
    failing: '发送失败',
    paused: { operator: '已暂停', failing: '已暂停：持续失败', gone: '已暂停：接收方返回 410' },
  },
});

export const deliveriesText = operatorTexts({
  en: {
    columns: ['Time', 'Event', 'State', 'Attempts', 'Last response', 'Next attempt', ''],
    empty: 'Nothing has been sent yet. Send a test to check that the URL responds.',
    all: 'All',
    states: { pending: 'Waiting', delivered: 'Delivered', failed: 'Failed' },
    again: 'Send again',
    sendAgain: (type: string) => `Send again: ${type}`,
    noAnswer: 'none yet',
  },
  zh: {
    columns: ['时间', '事件', '状态', '尝试次数', '最近应答', '下次尝试', ''],
    empty: '还没有发送记录。发送测试可以检查地址是否应答。',
    all: '全部',
    states: { pending: '等待中', delivered: '已送达', failed: '失败' },
    again: '重新发送',
    sendAgain: type => `重新发送：${type}`,
    noAnswer: '尚无',
  },
});

export const deliveryText = operatorTexts({
  en: {
    facts: 'Result',
    id: 'Delivery',
    event: 'webhook-id (the same for every attempt)',
    made: 'Created',
    attempts: 'Attempts',
    answer: 'Last response',
    next: 'Next attempt',
    finished: 'Finished',
    body: 'Request body',
    webhook: 'Webhook',
  },
  zh: {
    facts: '结果',
    id: '发送编号',
    event: '每次尝试的 webhook-id',
    made: '创建时间',
    attempts: '尝试次数',
    answer: '最近应答',
    next: '下次尝试',
    finished: '完成时间',
    body: '发送的内容',
    webhook: 'Webhook',
  },
});

/** The settings of a webhook, each with its meaning; the names are those of the admin API. */
export const webhookFormText = operatorTexts({
  en: {
    url: ['URL', 'An https URL of yours. It receives a POST request for each event, signed with the secret.'],
    description: ['Description', 'What it is for. Only operators see it.'],
    application: [
      'Application',
      'The code of an application. If empty, events of all applications are sent. Changing it deletes the deliveries of all other events.',
    ],
    ordered: [
      'Ordered delivery',
      'One delivery at a time, in the order of the events. An event that cannot be delivered holds up those after it.',
    ],
    types: 'Events',
    typesHint: 'Select none to get all events, including those of later versions.',
    choose: 'Choose events',
  },
  zh: {
    url: ['地址', '您的 https 地址。每个事件都会以 POST 发送到此地址，并用密钥签名。'],
    description: ['说明', '它的用途。只有管理员可以看到。'],
    application: ['仅限此应用', '应用的代码。留空：所有应用的事件。改为另一个应用会删除其他事件的投递记录。'],
    ordered: ['按事件顺序发送', '一次只发送一个。无法送达的事件会使后面的事件等待。'],
    types: '事件',
    typesHint: '一个都不选则接收所有事件，包括以后版本新增的事件。',
    choose: '选择事件',
  },
});

export const newWebhookText = operatorTexts({
  en: {
    create: 'Create webhook',
    secret: 'The secret that signs its deliveries. Copy it now: it is not shown again.',
    next: 'Use it to verify signatures in your program, then send a test delivery.',
    open: 'Go to the webhook',
  },
  zh: {
    create: '创建 Webhook',
    secret: '用于签名的密钥。请立即复制：之后不再显示。',
    next: '请在您的程序中用它验证签名，然后发送测试。',
    open: '前往此 Webhook',
  },
});

export const webhookText = operatorTexts({
  en: {
    test: 'Send a test',
    pause: 'Pause',
    resume: 'Resume',
    deliveries: 'Deliveries',
    settings: 'Settings',
    rotate: 'New secret',
    rotation:
      'The previous secret keeps signing for the time you choose, so that your program can switch without missing an event.',
    overlap: 'The previous secret stays valid',
    overlaps: [
      ['86400', '1 day'],
      ['604800', '7 days'],
      ['3600', '1 hour'],
      ['0', 'not at all: it may be known to others'],
    ],
    rotateButton: 'Generate a new secret',
    secret: 'The new secret. Copy it now: it is not shown again.',
    remove: 'Delete this webhook',
    removal: 'Its deliveries are deleted too, and new events are no longer sent.',
    removeButton: 'Delete webhook',
    wrongName: 'That does not match the host of the URL. Enter it exactly as shown.',
  },
  zh: {
    test: '发送测试',
    pause: '暂停',
    resume: '恢复',
    deliveries: '发送记录',
    settings: '设置',
    rotate: '新密钥',
    rotation: '在您选择的时间内，旧密钥也会同时签名，您的程序可以无中断地切换。',
    overlap: '旧密钥继续有效',
    overlaps: [
      ['86400', '1 天'],
      ['604800', '7 天'],
      ['3600', '1 小时'],
      ['0', '立即失效：可能已泄露'],
    ],
    rotateButton: '生成新密钥',
    secret: '新密钥。请立即复制：之后不再显示。',
    remove: '删除此 Webhook',
    removal: '发送记录会一并删除。之后的事件不再发送。',
    removeButton: '删除 Webhook',
    wrongName: '主机名不正确。',
  },
});
