// Runs firmware in QEMU behind its GDB server, as a board behind a probe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";

/** Longest time until QEMU listens, milliseconds. */
const START_TIMEOUT = 20_000;

/** Longest time until a process has ended, milliseconds. */
const END_TIMEOUT = 20_000;

/** Longest time until firmware that runs has used the processor for RUN_TICKS ticks of 10 ms, milliseconds. */
const RUN_TIMEOUT = 20_000;
const RUN_TICKS = 20;

/** A running QEMU. */
export class Qemu {
  /**
   * @param {import("node:child_process").ChildProcess} child
   * @param {string} address of the GDB server
   */
  constructor(child, address) {
    this.child = child;
    this.address = address;
  }

  /**
   * Starts firmware, which runs from then on.
   * @param {{machine: string, elf: string}} options
   */
  static async start({ machine, elf }) {
    const port = await freePort();
    const child = spawn("qemu-system-arm", ["-machine", machine, "-kernel", elf, "-nographic", "-gdb", `tcp:127.0.0.1:${port}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    process.once("exit", () => child.kill("SIGKILL"));
    const qemu = new Qemu(child, `127.0.0.1:${port}`);
    await listening(port, qemu);
    return qemu;
  }

  get isRunning() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until the firmware executes: QEMU uses the processor then. */
  async runs() {
    const ticks = async () => {
      const fields = (await readFile(`/proc/${this.child.pid}/stat`, "utf8")).replace(/.*\) /, "").split(" ");
      return Number(fields[11]); // utime: proc_pid_stat(5), field 14; the name in parentheses is the second
    };
    const start = await ticks();
    for (const until = Date.now() + RUN_TIMEOUT; (await ticks()) < start + RUN_TICKS; await setTimeout(20)) {
      if (Date.now() > until) {
        throw new Error("the firmware does not run");
      }
    }
  }

  async stop() {
    if (this.isRunning) {
      const exited = once(this.child, "exit");
      this.child.kill("SIGKILL");
      await exited;
    }
  }
}

/** A port that nothing listens on. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * The processes whose command lines hold some arguments.
 * @param {string[]} wanted
 */
export async function processes(wanted) {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""); // ended since it was listed
      const given = line.split("\0");
      return wanted.every((argument) => given.includes(argument));
    }),
  );
  return ids.filter((_, index) => found[index]);
}

/**
 * Waits until there is no process with some arguments.
 * @param {string[]} options
 */
export async function ended(options) {
  for (const until = Date.now() + END_TIMEOUT; (await processes(options)).length > 0; await setTimeout(20)) {
    if (Date.now() > until) {
      throw new Error(`a process with ${options.join(" ")} does not end`);
    }
  }
}

/**
 * Waits until somebody listens on a port. The kernel says so: a connection
 * would halt the target.
 * @param {number} port
 * @param {Qemu} qemu
 */
async function listening(port, qemu) {
  // Local address, remote address, state 0A: proc_pid_net(5), tcp_states.h.
  const entry = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, "0")} [0-9A-F]+:0000 0A `);
  const until = Date.now() + START_TIMEOUT;
  while (Date.now() < until && qemu.isRunning) {
    if (entry.test(await readFile("/proc/net/tcp", "utf8"))) {
      return;
    }
    await setTimeout(20);
  }
  await qemu.stop();
  throw new Error(`QEMU does not listen on port ${port}; its exit code is ${qemu.child.exitCode}`);
}
