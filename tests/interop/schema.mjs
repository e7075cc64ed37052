// The JSON schema that npm @openclaw/gateway-protocol publishes, as a judge of frames.
//
//   node schema.mjs <library folder> <frames.jsonl>     lines {frame, method?}; prints what does not fit, exits 1 then
//
// The schema names definitions, not methods: `device.token.rotate` answers a DeviceTokenRotateResult when there is one.
import fs from 'fs';
import { createRequire } from 'module';

const RESULTS = {
  connect: 'HelloOk',
  'config.schema': 'ConfigSchemaResponse',
  'exec.approvals.get': 'ExecApprovalsSnapshot',
  'exec.approvals.set': 'ExecApprovalsSnapshot',
  'exec.approvals.node.get': 'ExecApprovalsNodeSnapshot',
  'exec.approvals.node.set': 'ExecApprovalsNodeSnapshot',
};
const isObject = v => typeof v === 'object' && v !== null && !Array.isArray(v);
const pascal = name => name.split(/[.-]/).map(p => p[0].toUpperCase() + p.slice(1)).join('');

export function open(library) {
  const require = createRequire(library + '/node_modules/x.js');
  const Ajv = require('ajv').default;
  const document = JSON.parse(fs.readFileSync(library + '/node_modules/@openclaw/gateway-protocol/protocol.schema.json', 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'gateway');
  const has = name => Object.hasOwn(document.definitions, name);
  const fits = (name, value) => {
    const validate = ajv.getSchema(`gateway#/definitions/${name}`);
    return validate(value) ? [] : validate.errors.map(e => `${name}${e.instancePath}: ${e.message} ${JSON.stringify(e.params)}`);
  };

  // What a response to this method, or this event, does wrong; an empty list when nothing.
  function faults(frame, method) {
    const kind = { res: 'ResponseFrame', event: 'EventFrame' }[frame.type];
    if (!kind) return [`a gateway sends res and event, not ${frame.type}`];
    const found = fits(kind, frame);
    if (found.length) return found;
    if (frame.type === 'event') {
      if (frame.event === 'presence') return frame.payload.presence.flatMap(p => fits('PresenceEntry', p));
      if (frame.event === 'health') return fits('HelloOk/properties/snapshot/properties/health', frame.payload);
      if (frame.event === 'node.invoke.request' && frame.payload.caller?.ask) {
        // Ours, and sent to nodes of ours alone: who asks, and what the person there is asked.
        const { caller, ...rest } = frame.payload;
        return fits('NodeInvokeRequestEvent', rest);
      }
      const name = pascal(frame.event) + 'Event';
      return has(name) ? fits(name, frame.payload) : [];
    }
    if (!frame.ok) {
      return isObject(frame.error) ? [] : ['a refusal without an error'];
    }
    if (method === 'connect' && frame.payload.protocol === 3) {
      // Protocol 3 has a member that the published schema, which is of protocol 4, has not.
      const { canvasHostUrl, ...rest } = frame.payload;
      return fits('HelloOk', rest);
    }
    if (method === 'health') return fits('HelloOk/properties/snapshot/properties/health', frame.payload);
    if (method === 'system-presence') return frame.payload.flatMap(p => fits('PresenceEntry', p));
    // 2026.2.26 answers every node.event with just {ok}, 2026.9.6 most of them: the published result is for the rest.
    if (method === 'node.event' && JSON.stringify(frame.payload) === '{"ok":true}') return [];
    const name = RESULTS[method] ?? (method ? pascal(method) + 'Result' : '');
    return has(name) ? fits(name, frame.payload) : [];
  }

  // The smallest params that the published schema takes for a method.
  function smallest(schema) {
    if (schema.$ref) return smallest(document.definitions[schema.$ref.split('/').pop()]);
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (schema.anyOf ?? schema.oneOf) return smallest((schema.anyOf ?? schema.oneOf)[0]);
    switch (schema.type) {
      case 'object': {
        const value = {};
        for (const key of schema.required ?? []) value[key] = smallest(schema.properties[key]);
        if (schema.properties?.timeoutMs) value.timeoutMs = Math.max(50, schema.properties.timeoutMs.minimum ?? 0);
        return value;
      }
      case 'array': return schema.minItems ? [smallest(schema.items)] : [];
      case 'integer': case 'number': return schema.minimum ?? 0;
      case 'boolean': return true;
      case 'null': return null;
      default: return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
    }
  }
  const params = method => {
    const schema = document.definitions[pascal(method) + 'Params'];
    return schema ? smallest(schema) : undefined;
  };
  return { faults, params };
}

if (process.argv[1] === import.meta.filename) {
  const [, , library, path] = process.argv;
  const { faults } = open(library);
  const seen = new Map();
  let bad = 0;
  for (const line of fs.readFileSync(path, 'utf8').trim().split('\n')) {
    const { frame, method } = JSON.parse(line);
    const name = frame.type === 'event' ? `event ${frame.event}` : `res ${method}${frame.ok ? '' : ' refused'}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    for (const fault of faults(frame, method)) {
      bad++;
      console.log(`${name}: ${fault}\n    ${JSON.stringify(frame).slice(0, 600)}`);
    }
  }
  console.log([...seen].sort().map(([name, n]) => `${name} ×${n}`).join('\n'));
  process.exit(bad ? 1 : 0);
}
