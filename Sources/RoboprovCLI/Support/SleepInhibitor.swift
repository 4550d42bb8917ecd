import Bluetooth
import DBus
import EventLoop

/// Keeps the machine awake while a run needs it: an inhibitor of logind's, which is the open file it answers with. It
/// ends when this is released, or with the process, however that ends.
///
/// (systemd, `org.freedesktop.login1(5)`, `Manager.Inhibit`, and "Inhibitor Locks".)
final class SleepInhibitor: Sendable {
  private let file: DBusDescriptor

  private init(file: DBusDescriptor) { self.file = file }

  /// What became of asking for one.
  enum Answer: Sendable {
    /// It is held for as long as the inhibitor is referred to.
    case held(SleepInhibitor)
    /// There is nobody to ask, or no answer came soon: no system bus, no logind, one that hangs.
    case absent
    /// There is a logind, and it said no: by its rules (polkit) or for a reason of its own.
    case refused(String)
  }

  /// How long all of it may take. A run does not wait for its comfort.
  static let patience = Duration.seconds(2)

  /// Asks for one, against falling asleep by a closed lid, a key or idleness.
  /// - Parameters:
  ///   - bus: The system bus.
  ///   - why: For people who ask who keeps the machine awake (`systemd-inhibit --list`).
  static func take(on bus: BusAddress, why: String, patience: Duration = patience) async -> Answer {
    await withTaskGroup(of: Answer.self) { group in
      group.addTask { await ask(bus, why, patience) }
      group.addTask {
        try? await SystemClock().sleep(for: patience)
        return .absent
      }
      let first = await group.next() ?? .absent
      group.cancelAll()
      return first
    }
  }

  private static func ask(_ bus: BusAddress, _ why: String, _ patience: Duration) async -> Answer {
    let connection: Connection
    do throws(DBusError) {
      connection = try await Connection.open(bus)
    } catch {
      return .absent
    }
    let answer = await ask(connection, why, patience)
    await connection.close()
    return answer
  }

  private static func ask(_ connection: Connection, _ why: String, _ patience: Duration) async -> Answer {
    let inhibit = MethodCall(
      destination: "org.freedesktop.login1", path: "/org/freedesktop/login1",
      interface: "org.freedesktop.login1.Manager", member: "Inhibit",
      body: [.string("sleep:idle"), .string("roboprov"), .string(why), .string("block")])
    do throws(DBusError) {
      guard let file = try await connection.call(inhibit, timeout: patience).first?.asDescriptor else {
        return .refused("its answer is no inhibitor")
      }
      return .held(SleepInhibitor(file: file))
    } catch {
      return error.kind == .remote && !isAbsence(error) ? .refused(error.message) : .absent
    }
  }

  /// Whether the bus says on logind's behalf that there is none.
  private static func isAbsence(_ error: DBusError) -> Bool {
    let names = [
      "ServiceUnknown", "NameHasNoOwner", "UnknownObject", "UnknownInterface", "UnknownMethod", "NoReply",
    ]
    let prefix = "org.freedesktop.DBus.Error."
    return names.contains { error.name == prefix + $0 } || error.name.hasPrefix(prefix + "Spawn.")
  }
}

extension SleepInhibitor {
  /// Runs `body` with the machine kept awake, as far as that can be had. A person is told only when somebody could
  /// grant it and did not.
  static func holding<Result>(
    on bus: BusAddress = .system, why: String, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let answer = await take(on: bus, why: why)
    if case .refused(let reason) = answer {
      Console.say(
        "roboprov: warning: the system may fall asleep during this run: logind does not let it be kept awake (\(OutsideWords.quoted(reason)))"
      )
    }
    defer { withExtendedLifetime(answer) {} }
    return try await body()
  }
}
