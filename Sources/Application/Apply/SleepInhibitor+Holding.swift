package import DBus
package import Host

extension SleepInhibitor {
  /// Runs `body` and keeps the machine awake if possible. It warns only if logind refuses the request.
  package static func holding<Result>(
    on bus: BusAddress = Surroundings.bus, why: String, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let answer = await take(on: bus, why: why)
    if case .refused(let reason) = answer {
      Messages.say(
        "roboprov: warning: this computer can go to sleep during the run: logind refused to prevent it (\(OutsideWords.quoted(reason)))"
      )
    }
    defer { withExtendedLifetime(answer) {} }
    return try await body()
  }
}
