import Foundation
import Glibc
import RecordedText
import Testing
import VirtualBuilding

/// An SSH server on this computer in the place of a gateway: with keys and a configuration of its own, and with a bus to
/// which its bridge goes.
final class Gateway: Sendable {
  let name: String
  private let server: Invocation
  let port: UInt16

  /// Starts the server, and writes what ssh needs to reach it.
  /// - Parameters:
  ///   - settings: Further lines of its configuration.
  ///   - delay: The delay of the network in each direction in milliseconds, ± a quarter; nil without such a network.
  init(
    _ name: String, at site: Site, bus: String, settings: [String] = [], delay: Int? = nil
  ) async throws {
    self.name = name
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
        "AuthorizedKeysFile \(folder)/user.pub", "SetEnv PATH=\(folder)/\(name)-bin:/usr/bin:/bin",
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
        \(delay.map { "ProxyCommand python3 '\(projectFile("Tests/Interop/slow_network.py").path)' %h %p \($0) \(Double($0) / 4) '\(folder)'" } ?? "")

      """, to: "ssh-config", at: site)
    // sshd closes what it inherits, which Foundation takes for the end of its child: then it waits for it, and for no other.
    server = try site.startTool(
      ["unshare", "--fork", "--kill-child", "/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/\(name).conf"])
    try await server.prints("Server listening")
  }

  /// The environment in which ssh knows the gateways of a site. ssh finds its configuration by the user database, so the
  /// program that is called `ssh` here names it.
  static func environment(at site: Site) throws -> [String: String] {
    try site.writeProgram("bin/ssh", "exec /usr/bin/ssh -F '\(site.directory.path)/ssh-config' \"$@\"")
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

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound, "errno \(errno)")
    return UInt16(bigEndian: address.sin_port)
  }

  /// The bridges that run here now.
  var bridges: [Int32] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int32($0) }.filter { process in
      let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
      guard line.hasPrefix("/usr/bin/systemd-stdio-bridge\0") else { return false }
      let environment = (try? String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8)) ?? ""
      return environment.split(separator: "\0").contains {
        $0.hasPrefix("SSH_CONNECTION=") && $0.hasSuffix(" \(port)")
      }
    }
  }

  /// Lets nothing pass through the slow network of a site, or lets it pass again.
  static func partition(_ isCut: Bool, at site: Site) throws {
    let file = site.directory.appending(path: "partition")
    if isCut { try site.write("partition", "") } else { try FileManager.default.removeItem(at: file) }
  }

  /// Ends the connections, as a network or a gateway that is gone does.
  func cut() { for bridge in bridges { kill(bridge, SIGKILL) } }
}
