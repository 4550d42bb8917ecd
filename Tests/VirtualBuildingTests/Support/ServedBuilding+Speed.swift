import EventLoop
import VirtualBuilding

extension ServedBuilding {
  /// Serves a building at a multiple of the real speed.
  static func serve<Result: Sendable>(
    _ scenario: Scenario, speed: Double, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await serve(scenario, on: ScaledClock(SystemClock(), factor: speed), body)
  }
}
