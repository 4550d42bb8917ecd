package import DBus
import EventLoop

/// Keeps the machine awake during a run: an inhibitor of systemd-logind, held by an open file descriptor. It
/// ends when this object is released, or with the process.
///
/// (systemd, `org.freedesktop.login1(5)`, `Manager.Inhibit`, and "Inhibitor Locks".)
package final class SleepInhibitor: Sendable {
  private let file: DBusDescriptor

  private init(file: DBusDescriptor) { self.file = file }

  /// The result of the request.
  package enum Answer: Sendable {
    /// The inhibitor is held while it is referenced.
    case held(SleepInhibitor)
    /// No response in time: no system bus, no logind, or one that hangs.
    case absent
    /// logind refused, by its polkit rules or for another reason.
    case refused(String)
  }

  /// Timeout of the request. A run does not wait longer, because it can work without an inhibitor.
  package static let timeout = Duration.seconds(2)

  /// Requests an inhibitor against sleep by a closed lid, a key or idleness.
  /// - Parameters:
  ///   - bus: The system bus.
  ///   - why: The reason that `systemd-inhibit --list` shows.
  package static func take(on bus: BusAddress, why: String, timeout: Duration = timeout) async -> Answer {
    await withTaskGroup(of: Answer.self) { group in
      group.addTask { await ask(bus, why, timeout) }
      group.addTask {
        try? await SystemClock().sleep(for: timeout)
        return .absent
      }
      let first = await group.next() ?? .absent
      group.cancelAll()
      return first
    }
  }

  private static func ask(_ bus: BusAddress, _ why: String, _ timeout: Duration) async -> Answer {
    let connection: Connection
    do throws(DBusError) {
      connection = try await Connection.open(bus)
    } catch {
      return .absent
    }
    let answer = await ask(connection, why, timeout)
    await connection.close()
    return answer
  }

  private static func ask(_ connection: Connection, _ why: String, _ timeout: Duration) async -> Answer {
    let inhibit = MethodCall(
      destination: "org.freedesktop.login1", path: "/org/freedesktop/login1",
      interface: "org.freedesktop.login1.Manager", member: "Inhibit",
      body: [.string("sleep:idle"), .string("roboprov"), .string(why), .string("block")])
    do throws(DBusError) {
      guard let file = try await connection.call(inhibit, timeout: timeout).first?.asDescriptor else {
        return .refused("its answer is not an inhibitor")
      }
      return .held(SleepInhibitor(file: file))
    } catch {
      return error.kind == .remote && !isAbsence(error) ? .refused(error.message) : .absent
    }
  }

  /// Whether the error means that there is no logind.
  private static func isAbsence(_ error: DBusError) -> Bool {
    let names = [
      "ServiceUnknown", "NameHasNoOwner", "UnknownObject", "UnknownInterface", "UnknownMethod", "NoReply",
    ]
    let prefix = "org.freedesktop.DBus.Error."
    return names.contains { error.name == prefix + $0 } || error.name.hasPrefix(prefix + "Spawn.")
  }
}
