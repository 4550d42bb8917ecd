import BlueZ
import Bluetooth
import DBus
import Engine
import Host
import Logging
import Model
import Reporting

/// The adapters of other computers, which need BlueZ, OpenSSH and systemd, and nothing of ours: ssh runs systemd's bridge to
/// the bus there, as `busctl --host` does.
enum RemoteHosts {
  /// How long a command waits at its start until each host has reported its adapters: longer than a connection attempt, so that
  /// the reason of a failure is known.
  static let settling = ReconnectingCentral.Policy.remoteLimit + .seconds(5)

  /// The bus of a host.
  static func bus(of host: HostDescription) -> BusAddress {
    .bridge(BusBridge(title: "ssh \(host.ssh)", words: ssh(host, "systemd-stdio-bridge")))
  }

  /// The command line that runs a shell command on a host. ssh asks nothing, accepts no unknown key and shares no connection;
  /// it notices within 15 s that the network is gone.
  static func ssh(_ host: HostDescription, _ command: String) -> [String] {
    let options = [
      "BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
      "ServerAliveCountMax=3", "ControlPath=none", "ClearAllForwardings=yes", "LogLevel=ERROR",
    ]
    return ["ssh", "-xT"] + options.flatMap { ["-o", $0] } + ["--", host.ssh, command]
  }

  /// The command that runs a program of ours in a shell of a host. The user's login shell may be a C shell, which takes no line
  /// end in quotes and reads `2>` differently: the lines of the program become one, and the program itself redirects.
  static func command(_ shell: String, _ program: String, _ arguments: [String]) -> String {
    let lines = program.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("#") }
    let words = [lines.joined(separator: " "), shell] + arguments
    return "exec \(shell) -c \(words.map(\.shellQuoted).joined(separator: " "))"
  }

  /// Runs `body` with the adapters of this computer and of the hosts.
  static func with<Result: Sendable>(
    _ hosts: [HostDescription], beside bus: BusAddress, _ time: Surroundings.Time, log: Logger,
    _ body: @escaping @Sendable (CentralGroup) async throws -> Result
  ) async throws -> Result {
    let clock = time.clock
    let local = ReconnectingCentral(bus: bus, .local, clock: clock, log: log)
    let remote = hosts.map { host in
      let central = ReconnectingCentral(
        bus: Self.bus(of: host), of: host.name, .remote(time.chance), clock: clock, log: log)
      return (host: host, central: central)
    }
    let group = CentralGroup(
      [.init(nil, local)] + remote.map { .init($0.host.name, $0.central, wanted: $0.host.adapters) })
    let result = await withTaskGroup(of: Swift.Result<Result, any Error>?.self) { tasks in
      tasks.addTask {
        await group.follow()
        return nil
      }
      tasks.addTask {
        await group.settle(within: settling, on: clock)
        for twin in await group.hosts().flatMap(\.twins) {
          Messages.say("roboprov: warning: \(twin.sentence)")
        }
        do {
          return .success(try await body(group))
        } catch {
          return .failure(error)
        }
      }
      while let ended = await tasks.next() {
        if let ended {
          tasks.cancelAll()
          return ended
        }
      }
      preconditionFailure("the body of a command has no result")
    }
    await local.close()
    for (_, central) in remote { await central.close() }
    return try result.get()
  }
}

extension AdapterTwin {
  fileprivate var sentence: String {
    let address = adapter.id.address
    return isSame
      ? "\(adapter.name) and \(other.name) are one adapter (\(address)); it is used once, as \(other.name)"
      : "\(adapter.name) and \(other.name) have one address (\(address)), in different computers; both are used"
  }
}
