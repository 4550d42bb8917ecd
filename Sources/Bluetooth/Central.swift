/// The interface for all radio work.
///
/// Three implementations pass one conformance suite: BlueZ on a real stack, BlueZ on the virtual `org.bluez`,
/// and the virtual radio in the same process.
package protocol Central: Sendable {
  /// The name and version of a host's stack for reports (`BlueZ 5.66`); nil if the stack does not report them.
  func stackVersion(on host: HostName?) async -> String?

  /// How long a call to a host may take by the network alone, by the calls so far; nil for this computer, and for a host
  /// that does not answer.
  func roundTrip(to host: HostName?) async -> Duration?

  /// What no other Bluetooth stack has at this time; nil if it is unknown.
  func stackIdentity(on host: HostName?) async -> String?

  /// The current adapters, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  func adapters() async throws(CentralError) -> [Adapter]

  /// The same by host, for a central of several: the failure of one is no failure of the others.
  func hosts() async -> [HostAdapters]

  /// The adapters, now and after each change. A slow reader gets only the newest list. The list is empty
  /// while the stack is not running. The stream ends with the bus.
  func adapterChanges() async -> AsyncStream<[Adapter]>

  /// Scans with an adapter while `body` runs, without a service filter, and passes the received
  /// advertisements to `body`. This client's discovery has stopped when the function returns.
  ///
  /// Cached data of the stack is not reported. The stream fails with `adapterUnavailable`, `stackUnavailable`
  /// or `busUnavailable` when the scan ends by itself. Its buffer is bounded: on overflow it keeps the newest
  /// advertisement of each peripheral.
  /// - Throws: the reason why the scan cannot start; any error of `body`.
  func scan<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result

  /// Connects to a peripheral and returns when the stack confirms the link; `Peripheral.discover` waits for the
  /// services.
  ///
  /// There is no timeout, neither here nor in most stacks: a connection attempt to a dead peripheral may
  /// never end. Cancelling the task also ends the attempt in the stack and throws `cancelled`; no link
  /// remains.
  ///
  /// With `pairing` the link is encrypted: by the bond that the stack has with the peripheral, or else by a new one, which
  /// the stack keeps until `forget`. A bond that may be without the passkey is not used (`Pairing.acceptsBond`). Pairing
  /// ends by itself in less than a minute after the link is up. If it fails, no link remains, but a bond may, whatever the
  /// error: whoever gave the intent calls `forget`. Pairings on one host follow each other.
  /// - Parameters:
  ///   - pairing: how to pair; nil if the peripheral does not demand it.
  ///   - linked: called at most once, before the return, when the stack reports the link: the adapter can
  ///     make another connection from then on. This one may still fail.
  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral

  /// The peripherals that an adapter holds a link to, ordered by address. They include the links of other
  /// programs and links that a terminated program left behind.
  /// - Throws: `adapterUnavailable`; `busUnavailable`, `stackUnavailable` or `permissionDenied`.
  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral]

  /// Makes the stack delete everything about a peripheral: cached attributes, name, bond. Ends any
  /// connection to it. Of a peripheral with a bond that is not to be removed, everything stays.
  /// - Parameter removingBond: whether a bond with it is known to be of this program.
  /// - Returns: Whether the stack confirmed it. False if it does not know the peripheral, which may only be
  ///   because the adapter or the stack is about to be lost: then it may know it again afterwards.
  @discardableResult
  func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool

  /// Switches an adapter off and on again, and returns when it can be used. This repairs an adapter that
  /// scans and receives nothing (docs/internals/bluez.md, trap 59).
  ///
  /// This client's scan on the adapter ends with `adapterUnavailable`. A cancelled task does not leave the
  /// adapter off; a process that is killed between the two steps does.
  /// - Throws: `permissionDenied` if the user may not switch it. `busy` if the adapter holds a link, is
  ///   connecting, or another client scans with it; it has not been switched then. `adapterUnavailable` if it
  ///   was not on before, or does not come on again. `timedOut`, `busUnavailable`, `stackUnavailable`.
  func powerCycle(_ adapter: AdapterID) async throws(CentralError)

  /// The other programs that may be scanning with an adapter, as text for people: `bluetoothctl (pid 812)`.
  /// If there are several, the scanning one is unknown. Empty if nothing proves that another program scans; nil if one does
  /// that the stack does not name.
  func scanningClients(on adapter: AdapterID) async -> [String]?
}

extension Central {
  package func stackIdentity(on host: HostName?) async -> String? { nil }

  /// A central of one host has its own adapters.
  package func hosts() async -> [HostAdapters] {
    do throws(CentralError) {
      return [HostAdapters(.success(try await adapters()))]
    } catch {
      return [HostAdapters(.failure(error))]
    }
  }

  /// There is no network to this computer.
  package func roundTrip(to host: HostName?) async -> Duration? { nil }

  /// The version of this computer's stack.
  package func stackVersion() async -> String? { await stackVersion(on: nil) }

  package func connect(
    to address: BluetoothAddress, on adapter: AdapterID, linked: @escaping @Sendable () -> Void = {}
  ) async throws(CentralError) -> any Peripheral {
    try await connect(to: address, on: adapter, pairing: nil, linked: linked)
  }

  @discardableResult
  package func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) -> Bool {
    try await forget(address, on: adapter, removingBond: false)
  }
}

/// A peripheral that an adapter holds a link to.
package struct ConnectedPeripheral: Hashable, Sendable {
  package var address: BluetoothAddress
  /// The services that the stack has resolved so far; empty if there are none.
  package var serviceUUIDs: [BluetoothUUID]

  package init(address: BluetoothAddress, serviceUUIDs: [BluetoothUUID]) {
    self.address = address
    self.serviceUUIDs = serviceUUIDs
  }
}

/// A link to one peripheral. Every operation throws `disconnected` once the link has ended, and `cancelled`
/// when its task is cancelled.
package protocol Peripheral: Sendable {
  var address: BluetoothAddress { get }
  /// The adapter that holds the link.
  var adapter: AdapterID { get }

  /// Waits until the service and all of `required` can be used. There is no timeout; the caller sets one.
  /// - Throws: `attributeAmbiguous` if the service or a required characteristic exists more than once.
  ///   `attributeMissing` if one is still missing when the stack has resolved everything and the grace period
  ///   for late characteristics is over. `servicesUnresolved`.
  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService

  /// Waits until the stack has resolved everything, and for late characteristics as `discover` does. Returns
  /// all services in the order in which the stack lists them, without the services that the stack keeps for
  /// itself. There is no timeout; the caller sets one.
  func allServices() async throws(CentralError) -> [RemoteService]

  /// Reads a value of up to 512 bytes, in as many requests as it takes.
  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8]

  /// Reads the descriptor of a characteristic with this UUID, such as its description (0x2901).
  /// - Throws: `attributeMissing` if it has none; otherwise as `read`.
  func readDescriptor(
    _ uuid: BluetoothUUID, of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> [UInt8]

  /// Writes a value of up to 512 bytes. A write with response returns when the peripheral has confirmed it.
  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError)

  /// Subscribes to a characteristic and returns its values from now on. The stream ends with the link. Its
  /// buffer is bounded; on overflow the oldest values are dropped. A stack may also report the results of
  /// this client's `read` calls here.
  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification>

  /// Waits for the end of the link; returns at once if the link has ended. Returns nil if the waiting task is
  /// cancelled first.
  func disconnection() async -> Disconnection?

  /// Ends the link and returns when the stack reports that it is down (after about 2 s on BlueZ). It also
  /// works in a cancelled task. It never throws, because the caller cannot react to a failure.
  func disconnect() async
}

extension BluetoothUUID {
  /// The descriptor with a characteristic's description for people (Characteristic User Description; Bluetooth
  /// Core, Vol 3 Part G 3.3.3.2).
  package static let userDescription = BluetoothUUID(short: 0x2901)
}

package enum WriteKind: String, Sendable, Hashable, Codable {
  /// The peripheral confirms the write.
  case withResponse = "with_response"
  case withoutResponse = "without_response"
}
