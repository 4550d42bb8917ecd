import BlueZ
import Host
import VirtualBuilding
package import Bluetooth
import DBus
package import FoundationEssentials
package import Logging
package import Model
import Reporting
import Synchronization

/// The Bluetooth stack and the clocks of a command.
package struct BluetoothStack: Sendable {
  package let central: any Central
  private let time: Surroundings.Time
  /// Whether the adapters are virtual, and belong to this command alone.
  package let isSimulated: Bool
  /// The other hosts of adapters.
  package let hosts: [HostDescription]

  init(
    _ central: any Central, _ time: Surroundings.Time, isSimulated: Bool, hosts: [HostDescription] = []
  ) {
    (self.central, self.time, self.isSimulated, self.hosts) = (central, time, isSimulated, hosts)
  }

  /// Monotonic time; in a rehearsal that of the virtual building.
  package var clock: any TimeSource { time.clock }
  /// Wall-clock time, at the pace of `clock`.
  package var wall: @Sendable () -> Date { time.wall }
  /// Random numbers of 0...1; in a rehearsal they follow from its seed.
  var chance: @Sendable () -> Double { time.chance }
  /// Bytes for keys; in a rehearsal they follow from its seed.
  package var randomBytes: @Sendable (Int) -> [UInt8] { time.randomBytes }
  /// A stream for one run of the pauses of this host from now on; none in a rehearsal.
  var pauses: AsyncStream<HostPause> { time.pauses() }
}

/// Opens the Bluetooth stack for a command: the system's BlueZ, or that of a virtual building.
package struct BluetoothAccess: Sendable {
  /// The virtual building; nil for the system's BlueZ.
  package var rehearsal: Rehearsal.Choice?
  /// Other computers whose adapters are used, too, except in a rehearsal.
  package var hosts: [HostDescription] = []
  /// Receives the work with Bluetooth.
  let log: Logger

  package init(rehearsal: Rehearsal.Choice? = nil, log: Logger) {
    (self.rehearsal, self.log) = (rehearsal, log)
  }

  /// Runs `body` with the stack, and closes it whatever `body` does. Warns of other hosts that cannot be used.
  /// - Parameters:
  ///   - subject: The building to rehearse if there is no scenario.
  ///   - pace: The pace of a rehearsal.
  /// - Throws: `CommandFailure` if there is no stack; what `body` throws.
  package func with<Result: Sendable>(
    rehearsing subject: KnownBuilding? = nil, at pace: Rehearsal.Pace = .virtual,
    _ body: @escaping @Sendable (BluetoothStack) async throws -> Result
  ) async throws -> Result {
    try await attempting(rehearsing: subject, at: pace) { opened in
      switch opened {
      case .success(let stack):
        for host in await stack.central.hosts() {
          if let fact = HostUnavailable(host) { Messages.say("roboprov: warning: \(fact.sentence)") }
        }
        return try await body(stack)
      case .failure(let error): throw RadioMessages.failure(error)
      }
    }
  }

  /// The same, but `body` also runs without a stack, and receives the error.
  /// - Throws: `CommandFailure` for an unusable scenario; what `body` throws.
  package func attempting<Result: Sendable>(
    rehearsing subject: KnownBuilding? = nil, at pace: Rehearsal.Pace = .virtual,
    _ body: @escaping @Sendable (Swift.Result<BluetoothStack, CentralError>) async throws -> Result
  ) async throws -> Result {
    guard let rehearsal else {
      guard hosts.isEmpty else {
        let time = Surroundings.time()
        return try await RemoteHosts.with(hosts, beside: Surroundings.bus, time, log: log) { group in
          try await body(.success(BluetoothStack(group, time, isSimulated: false, hosts: hosts)))
        }
      }
      return try await using(Surroundings.bus, Surroundings.time(), isSimulated: false, body)
    }
    let virtual = try Rehearsal(rehearsal, of: subject)
    return try await virtual.serving(at: pace) { building in
      // In a rehearsal both clocks show its time, so that times in reports are those of the building.
      let begin = Surroundings.now
      let clock = building.clock
      let zero = clock.now
      let random = Mutex(SeededGenerator(seed: virtual.scenario.seed).split("run"))
      return try await using(
        building.daemon.busAddress,
        Surroundings.Time(
          clock: clock, wall: { begin.addingTimeInterval(zero.duration(to: clock.now).inSeconds) },
          chance: { random.withLock { Double.random(in: 0...1, using: &$0) } },
          randomBytes: SeededGenerator(seed: virtual.scenario.seed).split("keys").bytes()),
        isSimulated: true, body)
    }
  }

  private func using<Result: Sendable>(
    _ bus: BusAddress, _ time: Surroundings.Time, isSimulated: Bool,
    _ body: @Sendable (Swift.Result<BluetoothStack, CentralError>) async throws -> Result
  ) async throws -> Result {
    let central: ReconnectingCentral
    do throws(CentralError) {
      central = try await ReconnectingCentral.open(bus: bus, clock: time.clock, log: log)
    } catch {
      return try await body(.failure(error))
    }
    do {
      let result = try await body(.success(BluetoothStack(central, time, isSimulated: isSimulated)))
      await central.close()
      return result
    } catch {
      await central.close()
      throw error
    }
  }
}
