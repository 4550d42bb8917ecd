import DBus
import Foundation
import Glibc

/// A `systemd-logind` on some bus that receives requests for inhibitors.
actor FakeLogin {
  /// How it replies.
  enum Manner: Sendable {
    case grants
    case refuses(String, String)
    case saysNothing
    case answersNonsense
  }

  private let manner: Manner
  /// The arguments of each request.
  private(set) var requests: [[String]] = []
  /// Ends of the inhibitors' pipes; each reads end of file once the inhibitor is released.
  private var ends: [DBusDescriptor] = []

  private init(_ manner: Manner) { self.manner = manner }

  /// Serves a fake login manager on a bus while `body` runs.
  static func serve<Result>(
    _ manner: Manner, onBus address: String, _ body: (FakeLogin) async throws -> Result
  ) async throws -> Result {
    let login = FakeLogin(manner)
    let connection = try await Connection.open(.address(address))
    await connection.export("/org/freedesktop/login1") { await login.reply(to: $0) }
    try await connection.requestName("org.freedesktop.login1")
    return try await withThrowingTaskGroup { group in
      group.addTask { await connection.serve() }
      let result: Result
      do {
        result = try await body(login)
      } catch {
        await connection.close()
        throw error
      }
      await connection.close()
      return result
    }
  }

  private func reply(to call: MethodCall) async -> Result<[DBusValue], DBusError> {
    guard call.interface == "org.freedesktop.login1.Manager", call.member == "Inhibit" else {
      return .failure(.remote("org.freedesktop.DBus.Error.UnknownMethod", "no \(call.member)"))
    }
    requests.append(call.body.compactMap(\.asString))
    switch manner {
    case .grants:
      var pipe: [Int32] = [-1, -1]
      guard Glibc.pipe(&pipe) == 0, fcntl(pipe[0], F_SETFL, O_NONBLOCK) == 0 else {
        return .failure(.remote("org.freedesktop.DBus.Error.NoMemory"))
      }
      ends.append(DBusDescriptor(owning: pipe[0]))
      return .success([.descriptor(DBusDescriptor(owning: pipe[1]))])
    case .refuses(let name, let message): return .failure(.remote(name, message))
    case .answersNonsense: return .success([.string("yes")])
    case .saysNothing:
      let (never, continuation) = AsyncStream.makeStream(of: Never.self)
      for await _ in never {}
      continuation.finish()
      return .success([])
    }
  }

  /// The number of inhibitors that are held.
  var heldCount: Int {
    ends.count { end in
      var byte: UInt8 = 0
      return read(end.number, &byte, 1) != 0
    }
  }
}
