// Runs the engine of the Perfetto UI, trace_processor compiled to WebAssembly, outside of a
// browser: gives its worker script what it expects of one, passes requests in, responses out.
// Usage: node perfetto_engine.mjs FOLDER_WITH_ENGINE REQUESTS RESPONSES
import { webcrypto as crypto } from "node:crypto"; // a global from node 20 on
import fs from "node:fs";
import path from "node:path";
import v8 from "node:v8";
import vm from "node:vm";

// Traces of tests are small: translating the engine well takes longer than running it.
v8.setFlagsFromString("--liftoff-only");

const [folder, requestsPath, responsesPath] = process.argv.slice(2);
const responses = [];
const port = { postMessage: (message) => responses.push(Buffer.from(message)) };

function fail(error) {
	console.error(String(error?.stack ?? error).slice(-2000));
	process.exit(1);
}
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

// The worker loads its WebAssembly by name, synchronously.
class FileRequest {
	open(method, url) {
		this.file = path.join(folder, path.basename(String(url)));
	}
	send() {
		const bytes = fs.readFileSync(this.file);
		this.status = 200;
		this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
	}
}

function startWorker() {
	const script = path.join(folder, "engine_bundle.js");
	const worker = {
		console, setTimeout, clearTimeout, performance, queueMicrotask, crypto, URL,
		TextDecoder, TextEncoder, WebAssembly, Uint8Array, Error, TypeError, RangeError, Promise,
		XMLHttpRequest: FileRequest,
		location: { href: "file://" + script },
		navigator: { hardwareConcurrency: 1, userAgent: "node" },
		importScripts() {},
		WorkerGlobalScope() {},
	};
	worker.self = worker;
	vm.createContext(worker);
	vm.runInContext(fs.readFileSync(script, "utf8"), worker);
	return worker;
}

// Requests are adjacent, each a field 1 with its length.
function* splitRequests(bytes) {
	for (let start = 0; start < bytes.length; ) {
		let at = start + 1, length = 0, shift = 0, byte;
		do {
			byte = bytes[at++];
			length += (byte & 0x7f) * 2 ** shift;
			shift += 7;
		} while (byte & 0x80);
		yield new Uint8Array(bytes.subarray(start, at + length));
		start = at + length;
	}
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

async function ready() {
	while (!port.onmessage) await settle();
}

const worker = startWorker();
// Its runtime starts asynchronously, without a promise to wait for.
for (let turn = 0; turn < 200; turn++) await settle();
worker.onmessage({ data: port, ports: [port] });
await ready();
for (const request of splitRequests(fs.readFileSync(requestsPath))) {
	port.onmessage({ data: request });
	await settle();
}
fs.writeFileSync(responsesPath, Buffer.concat(responses));
process.exit(0);
