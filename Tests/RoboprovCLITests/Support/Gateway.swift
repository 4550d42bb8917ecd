import Foundation
import Glibc
import RecordedText
import Synchronization
import Testing
import VirtualBuilding

/// An SSH server on this computer in the place of a gateway: with keys and a configuration of its own, and with a bus to
/// which its bridge goes.
final class Gateway: Sendable {
  let name: String
  let port: UInt16
  private let site: Site
  private let wrapper: [String]
  private let server = Mutex<Invocation?>(nil)

  /// Starts the server, and writes what ssh needs to reach it.
  /// - Parameters:
  ///   - settings: Further lines of its configuration.
  ///   - delay: The delay of the network in each direction in milliseconds, ± a quarter; nil without such a network.
  ///   - loss: How much the network loses in percent.
  ///   - wrapper: A command line that executes the arguments after it: the server.
  init(
    _ name: String, at site: Site, bus: String, settings: [String] = [], delay: Int? = nil, loss: Int = 0,
    through wrapper: [String] = []
  ) async throws {
    (self.name, self.site, self.wrapper) = (name, site, wrapper)
    port = try Self.freePort()
    try? FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    let folder = site.directory.path
    if !site.has("user") { try await Self.makeKey("user", at: site) }
    try await Self.makeKey("\(name)-key", at: site)
    try site.write(
      "\(name).conf",
      // sshd takes the first of two values.
      (settings + [
        "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(folder)/\(name)-key", "PidFile none",
        "UsePAM no",
        "StrictModes no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
        "AuthorizedKeysFile \(folder)/user.pub",
        // A home directory without a .bashrc, which would run what the user has there, for each connection.
        "SetEnv HOME=\(folder) PATH=\(folder)/\(name)-bin:/usr/bin:/bin",
      ]).joined(separator: "\n") + "\n")
    try site.writeProgram(
      "\(name)-bin/systemd-stdio-bridge", "exec /usr/bin/systemd-stdio-bridge --bus-path='\(bus)'")
    let key = try String(contentsOfFile: "\(folder)/\(name)-key.pub", encoding: .utf8)
    try Self.append("[127.0.0.1]:\(port) \(key)", to: "known-hosts", at: site)
    try Self.append(
      """
      Host \(name)
        HostName 127.0.0.1
        Port \(port)
        User \(NSUserName())
        IdentityFile \(folder)/user
        IdentitiesOnly yes
        UserKnownHostsFile \(folder)/known-hosts
        GlobalKnownHostsFile /dev/null
        \(delay.map { "ProxyCommand python3 '\(projectFile("Tests/Interop/slow_network.py").path)' %h %p \($0) \(Double($0) / 4) \(loss) '\(folder)'" } ?? "")

      """, to: "ssh-config", at: site)
    try await start()
  }

  /// Starts the server.
  func start() async throws {
    let configuration = site.directory.appending(path: "\(name).conf").path
    // sshd closes what it inherits, which Foundation takes for the end of its child: then it waits for it, and for no other.
    let server = try site.startTool(
      wrapper + ["unshare", "--fork", "--kill-child", "/usr/sbin/sshd", "-D", "-e", "-f", configuration])
    self.server.withLock { $0 = server }
    try await server.prints("Server listening")
  }

  /// Ends the server and its connections, as a gateway without power does.
  func stop() async throws {
    let server = self.server.withLock(\.self)
    server?.send(SIGKILL)
    _ = try await server?.ended()
    for process in processes { kill(process.id, SIGKILL) }
  }

  /// The environment in which ssh knows the gateways of a site. ssh finds its configuration by the user database, so the
  /// program that is called `ssh` here names it.
  /// - Parameter options: of ssh, before the others, of which they have precedence. Those of roboprov end a connection on which
  ///   a busy machine sends nothing for 10 to 15 s.
  static func environment(
    at site: Site, options: String = "-o ConnectTimeout=60 -o ServerAliveInterval=20"
  ) throws -> [String: String] {
    try site.writeProgram(
      "bin/ssh", "exec /usr/bin/ssh -F '\(site.directory.path)/ssh-config' \(options) \"$@\"")
    return ["PATH": "\(site.directory.path)/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]
  }

  private static func makeKey(_ file: String, at site: Site) async throws {
    let made = try await site.runTool([
      "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", site.directory.appending(path: file).path,
    ])
    try #require(made.status == 0, "\(made)")
  }

  private static func append(_ text: String, to file: String, at site: Site) throws {
    let path = site.directory.appending(path: file).path
    let before = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try site.write(file, before + text + "\n")
  }

  /// The port to try next. The kernel gives the ports from 32,768 on to others, also between a look at them and their use.
  private static let nextPort = Mutex(UInt16(10_000 + getpid() % 20_000))

  private static func freePort() throws -> UInt16 {
    let ports = (0..<1000).lazy.map { _ in
      nextPort.withLock { port in
        defer { port = port < 32_767 ? port + 1 : 10_000 }
        return port
      }
    }
    return try #require(ports.first(where: isFree))
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// The processes of this computer, with their command lines.
  private static var allProcesses: [(id: Int32, line: String)] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int32($0) }.map { process in
      (process, (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? "")
    }
  }

  /// What the connections run here now.
  private var processes: [(id: Int32, line: String)] {
    Self.allProcesses.filter { process in
      let environment = (try? String(contentsOfFile: "/proc/\(process.id)/environ", encoding: .utf8)) ?? ""
      return environment.split(separator: "\0").contains {
        $0.hasPrefix("SSH_CONNECTION=") && $0.hasSuffix(" \(port)")
      }
    }
  }

  /// The bridges that run here now.
  var bridges: [Int32] {
    processes.filter { $0.line.hasPrefix("/usr/bin/systemd-stdio-bridge\0") }.map(\.id)
  }

  /// Lets nothing pass through the slow network of a site, or lets it pass again.
  static func partition(_ isCut: Bool, at site: Site) throws {
    let file = site.directory.appending(path: "partition")
    if isCut { try site.write("partition", "") } else { try FileManager.default.removeItem(at: file) }
  }

  /// How many bytes have passed through the slow networks of a site, in both directions.
  static func traffic(at site: Site) throws -> Int {
    let files = try FileManager.default.contentsOfDirectory(
      at: site.directory, includingPropertiesForKeys: nil)
    return try files.filter { $0.lastPathComponent.hasPrefix("traffic-") }
      .reduce(0) { $0 + (Int(try String(contentsOf: $1, encoding: .utf8)) ?? 0) }
  }

  /// Ends the connections that hold locks, of which the gateway does not learn.
  func keepLocks() {
    for process in processes where process.line.contains("flock") { kill(process.id, SIGSTOP) }
    let configuration = site.directory.appending(path: "ssh-config").path
    for process in Self.allProcesses
    where process.line.contains("\0\(configuration)\0") && process.line.contains("\0\(name)\0")
      && process.line.contains("flock")
    {
      kill(process.id, SIGKILL)
    }
  }

  /// Ends the connections, as a network or a gateway that is gone does.
  func cut() { for bridge in bridges { kill(bridge, SIGKILL) } }
}
