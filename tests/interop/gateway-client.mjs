// The published client library against our gateway. Arguments: library folder, gateway port, port that makes us look remote.
//
// Connects as an operator with a fresh device key through the second port, waits to be paired (the test approves), calls every
// announced method with the smallest params its schema takes and with wrong ones, then those that only a gateway with agents has
// (the last argument), and comes back on the device token alone.
// Every frame must fit the published schema, every call must be answered, and the gateway must still be there at the end.
import crypto from 'crypto';
import { createRequire } from 'module';
import { pathToFileURL } from 'url';
import { open } from './schema.mjs';

const [, , library, port, remotePort, absent] = process.argv;
const root = library + '/node_modules/@openclaw/gateway-client/';
const { GatewayClient } = await import(pathToFileURL(root + 'dist/index.mjs'));
const { WebSocket } = createRequire(root + 'x.js')('ws');
const schema = open(library);
const token = process.env.OPENCLAW_GATEWAY_TOKEN;
const scopes = ['operator.admin', 'operator.read', 'operator.write', 'operator.approvals', 'operator.pairing'];
// It may wait for a person: no answer in time is an answer.
const PATIENT = new Set(['exec.approval.request', 'exec.approval.waitDecision']);
// Methods whose params the schema does not publish: these are good ones. A new method must be in one of the two.
const PARAMS = {
  'agent.requests.listen': {}, 'canvas.watch.open': { nodeId: 'x' },
  'canvas.watch.close': { nodeId: 'x' },
  'exec.approval.list': {}, 'exec.approval.waitDecision': { id: 'x' }, 'gateway.move': { host: 'x' }, health: {}, 'last-heartbeat': {},
  'exec.audit.list': {}, 'node.invoke.cancel': { idempotencyKey: 'x' }, 'node.pair.request': { nodeId: 'x' }, 'node.pair.verify': { nodeId: 'x', token: 'x' }, 'node.pending.pull': {}, 'node.pluginSurface.refresh': { surface: 'canvas' }, 'openclaw.approval.list': {},
  'plugin.approval.list': {}, 'set-heartbeats': { enabled: true }, status: {}, 'system-event': { text: 'hello' },
  'system-presence': {}, 'voicewake.get': {}, 'voicewake.set': { triggers: ['hello'] },
};
const faults = [];
let frames = 0;

function goodParams(method) {
  const params = schema.params(method) ?? PARAMS[method];
  if (!params) faults.push(`${method}: nobody knows good params for it`);
  return params ?? {};
}

// Sees every frame of every connection before the library does.
const methods = new Map();
const { emit, send } = WebSocket.prototype;
WebSocket.prototype.send = function (data, ...rest) {
  const frame = JSON.parse(data);
  methods.set(frame.id, frame.method);
  return send.call(this, data, ...rest);
};
WebSocket.prototype.emit = function (event, data, ...rest) {
  if (event === 'message') {
    frames++;
    const frame = JSON.parse(data.toString());
    const method = methods.get(frame.id);
    for (const fault of schema.faults(frame, method)) faults.push(`${method ?? frame.event}: ${fault}`);
  }
  return emit.call(this, event, data, ...rest);
};

function newIdentity() {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(12);
  return {
    deviceId: crypto.createHash('sha256').update(raw).digest('hex'),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

const stored = new Map();
const hostDeps = {
  signDevicePayload: (pem, text) => crypto.sign(null, Buffer.from(text), crypto.createPrivateKey(pem)).toString('base64url'),
  publicKeyRawBase64UrlFromPem: pem =>
    crypto.createPublicKey(pem).export({ type: 'spki', format: 'der' }).subarray(12).toString('base64url'),
  loadDeviceAuthToken: ({ deviceId, role }) => stored.get(deviceId + role) ?? null,
  storeDeviceAuthToken: ({ deviceId, role, token, scopes }) => stored.set(deviceId + role, { token, role, scopes, updatedAtMs: 1 }),
  clearDeviceAuthToken: ({ deviceId, role }) => stored.delete(deviceId + role),
};

function connect(options) {
  return new Promise((resolve, reject) => {
    const client = new GatewayClient({
      url: `ws://127.0.0.1:${port}`, token, clientName: 'cli', mode: 'cli', clientVersion: '1', platform: 'linux', role: 'operator',
      scopes, minProtocol: 4, maxProtocol: 4, hostDeps, requestTimeoutMs: 10000,
      onHelloOk: hello => resolve({ client, hello }),
      // Being unpaired is what we wait out; anything else is final.
      onConnectError: e => /pairing required/.test(e.message) ? console.log('waits:', e.message) : reject(e),
      onReconnectPaused: info => reject(new Error('the library gave up: ' + JSON.stringify(info))),
      ...options,
    });
    client.start();
  });
}

async function call(client, method, params) {
  try {
    await client.request(method, params, { timeoutMs: PATIENT.has(method) ? 500 : 10000 });
  } catch (e) {
    if (e.name === 'GatewayClientRequestError' || e.gatewayCode) return;
    if (!PATIENT.has(method)) throw new Error(`${method} ${JSON.stringify(params)}: ${e.message}`);
  }
}

// Wrong in every way a careless caller is wrong.
function wrongs(method) {
  const valid = goodParams(method);
  const list = [[], 'text', 7, null, { ...valid, noSuchMember: 1 }, {}];
  for (const key of Object.keys(valid)) {
    list.push({ ...valid, [key]: { nested: [1] } }, { ...valid, [key]: '' }, { ...valid, [key]: null }, { ...valid, [key]: -1.5 });
  }
  return list;
}

const identity = newIdentity();
const { client, hello } = await connect({ deviceIdentity: identity, url: `ws://127.0.0.1:${remotePort}` });
console.log('paired as', identity.deviceId.slice(0, 12));
const announced = hello.features.methods;
for (const method of announced) {
  await call(client, method, goodParams(method));
  for (const params of wrongs(method)) {
    await call(client, method, params);
    // Between refusals a call that works: too many in a row end a connection, by the protocol's rules.
    await client.request('health', {});
  }
}
await call(client, 'no.such.method', {});
for (const method of absent.split(',')) {
  if (announced.includes(method)) faults.push(`${method}: announced, and yet only for agents`);
  for (const params of [schema.params(method) ?? {}, [], 'text', null, { noSuchMember: 1 }]) {
    const refusal = await client.request(method, params).then(() => 'no refusal', e => `${e.gatewayCode} ${e.message}`);
    if (!/^UNAVAILABLE .*not available/.test(refusal)) faults.push(`${method} ${JSON.stringify(params)}: ${refusal}`);
    await client.request('health', {});
  }
}
await client.stopAndWait();

// The device token alone, without the shared secret.
const again = await connect({ deviceIdentity: identity, token: undefined });
await again.client.request('node.list', {});
await again.client.stopAndWait();

// As a node, which may call the other methods.
const node = newIdentity();
const host = await connect({ deviceIdentity: node, role: 'node', mode: 'node', clientName: 'node-host', scopes: [], caps: ['system'],
  commands: ['system.which'], minProtocol: undefined, maxProtocol: undefined });
for (const method of announced) {
  await call(host.client, method, goodParams(method));
  await host.client.request('health', {});
  for (const params of wrongs(method)) {
    await call(host.client, method, params);
    await host.client.request('health', {});
  }
}
await host.client.stopAndWait();

console.log(`${announced.length} methods, ${absent.split(',').length} of agents, ${frames} frames, ${faults.length} faults`);
for (const fault of new Set(faults)) console.log('  ' + fault);
process.exit(faults.length ? 1 : 0);
