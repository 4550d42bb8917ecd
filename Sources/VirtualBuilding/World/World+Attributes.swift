package import Bluetooth

/// Requests on a link: resolving services, reading, writing, subscribing. The bearer carries one request at a
/// time, so requests are sequential.
extension World {
  /// Resolves the sensor's services. Some characteristics may be marked as late.
  /// - Throws: `notConnected`, `linkLost`, `cancelled`, `stackStopped`.
  package func resolve(_ link: LinkID) async throws(LinkError) -> AttributeTable {
    guard let state = links[link] else { throw .notConnected }
    if let table = state.table { return table }
    let result = try await perform(.resolve(link)) { id in
      var duration = draw(radio.resolve, for: state)
      if strikes(.slow, on: state) { duration += .seconds(10) }
      // The first exchange may not be over yet.
      duration += max(.zero, clock.now.duration(to: state.requestsFreeAt))
      let sensor = sensors[state.address]
      if sensor?.firmware.isAnswering == false {
        schedule(.resolved(id), after: radio.attTimeout)
      } else if sensor?.strikes(.drops(in: .discover), inAttempt: state.attempt) == true {
        // The link is lost during service discovery.
        sensorLeaves(state)
        schedule(.linkDown(link, .remote), after: duration / 2)
      } else {
        schedule(.resolved(id), after: duration)
      }
    }
    guard case .table(let table) = result else { preconditionFailure("expected a table") }
    return table
  }

  /// Reads a value. As BlueZ does, it drops what exceeds the 512 bytes of an attribute (docs/internals/protocols.md, "Shelly").
  /// - Throws: `att`, `unknownAttribute`, `busy`, `notConnected`, `linkLost`, `cancelled`, `stackStopped`.
  package func read(_ handle: AttributeHandle, over link: LinkID) async throws(LinkError) -> [UInt8] {
    try check(handle, link)
    guard case .value(let value) = try await request(.read, handle, link, radio.roundTrip) else {
      preconditionFailure("expected a value")
    }
    return Array(value.prefix(512))
  }

  /// Reads the description of a characteristic.
  /// - Throws: Same as `read`.
  package func describe(_ handle: AttributeHandle, over link: LinkID) async throws(LinkError) -> [UInt8] {
    try check(handle, link)
    guard case .value(let value) = try await request(.describe, handle, link, radio.roundTrip) else {
      preconditionFailure("expected a value")
    }
    return value
  }

  /// Writes a value. With response, returns when the sensor has confirmed it; without response, at once.
  /// - Throws: `att`, `unknownAttribute`, `busy`, `notConnected`, `linkLost`, `cancelled`, `stackStopped`.
  package func write(
    _ value: [UInt8], to handle: AttributeHandle, _ kind: WriteKind, over link: LinkID
  ) async throws(LinkError) {
    let (state, characteristic) = try check(handle, link)
    guard kind == .withResponse else {
      guard characteristic.properties.contains(.writeWithoutResponse) else {
        throw .att(ATTCode.writeNotPermitted)
      }
      schedule(.unconfirmedWrite(link, handle, value), after: draw(radio.roundTrip, for: state) / 2)
      return
    }
    _ = try await request(.write(value), handle, link, radio.roundTrip)
  }

  /// Subscribes to a characteristic's notifications, or unsubscribes.
  /// - Throws: Same as `read`.
  package func subscribe(
    _ isOn: Bool, to handle: AttributeHandle, over link: LinkID
  ) async throws(LinkError) {
    let (_, characteristic) = try check(handle, link)
    guard characteristic.properties.contains(.notify) else { throw .att(ATTCode.requestNotSupported) }
    _ = try await request(.subscribe(isOn), handle, link, radio.subscribe)
  }

  // MARK: Requests

  @discardableResult
  private func check(
    _ handle: AttributeHandle, _ link: LinkID
  ) throws(LinkError) -> (LinkState, AttributeTable.Characteristic) {
    guard isStackRunning() else { throw .stackStopped }
    guard let state = links[link] else { throw .notConnected }
    guard let characteristic = state.table?.characteristic(at: handle) else { throw .unknownAttribute }
    return (state, characteristic)
  }

  private func request(
    _ request: Operation.Request, _ handle: AttributeHandle, _ link: LinkID, _ range: ClosedRange<Duration>
  ) async throws(LinkError) -> OperationResult {
    guard let state = links[link] else { throw .notConnected }
    guard !isBusy(link, handle) else { throw .busy }
    return try await perform(.request(link, handle, request)) { id in
      var trip = draw(range, for: state)
      if case .write(let value) = request, value.count > radio.mtu - 3 {
        // A long write: several prepare requests and one execute request.
        trip = trip * (value.count / (radio.mtu - 5) + 2)
      }
      let begins = max(clock.now, state.requestsFreeAt)
      let slowness = strikes(.slow, on: state) ? Duration.seconds(1) : .zero
      operations[id]?.wayBack = trip / 2 + slowness
      links[link]?.requestsFreeAt = begins.advanced(by: trip + slowness)
      schedule(.arrives(id), at: begins.advanced(by: trip / 2))
    }
  }

  private func isBusy(_ link: LinkID, _ handle: AttributeHandle) -> Bool {
    operations.values.contains {
      guard case .request(link, handle, _) = $0.kind else { return false }
      return true
    }
  }

  func arrives(_ id: OperationID) {
    operations[id]?.hasArrived = true
    let kind = operations[id]?.kind ?? abandoned.removeValue(forKey: id)
    guard case .request(let link, let handle, let request) = kind, let state = links[link],
      sensors[state.address]?.link == link,
      let characteristic = state.table?.characteristic(at: handle)
    else { return }
    schedule(.unanswered(id), after: radio.attTimeout)
    // The sensor decides whether an operation is permitted (recorded traces: it takes a round trip).
    if request.isOfValue, state.security < characteristic.security {
      return answer(id, .failure(.att(ATTCode.insufficientAuthentication)))
    }
    switch request {
    case .read:
      guard characteristic.properties.contains(.read) else {
        return answer(id, .failure(.att(ATTCode.readNotPermitted)))
      }
      deliver(state.address, .read(id, characteristic.uuid))
    case .describe:
      // The GATT server answers; the firmware does not learn of it.
      guard sensors[state.address]?.firmware.isAnswering == true, let description = characteristic.description
      else { return }
      answer(id, .success(.value(Array(description.utf8))))
    case .write(let value):
      guard characteristic.properties.contains(.write) else {
        return answer(id, .failure(.att(ATTCode.writeNotPermitted)))
      }
      if !characteristic.isEncrypted { record(value, to: characteristic.uuid, .withResponse, state) }
      deliver(state.address, .write(id, characteristic.uuid, value))
    case .subscribe(let isOn):
      deliver(state.address, .subscribe(id, characteristic.uuid, isOn))
    }
  }

  func unconfirmedWrite(_ link: LinkID, _ handle: AttributeHandle, _ value: [UInt8]) {
    guard let state = links[link], sensors[state.address]?.link == link,
      let characteristic = state.table?.characteristic(at: handle),
      state.security >= characteristic.security
    else { return }
    record(value, to: characteristic.uuid, .withoutResponse, state)
    deliver(state.address, .write(nil, characteristic.uuid, value))
  }

  /// Delivers the firmware's response to a request.
  func answer(_ id: OperationID, _ result: Result<OperationResult, LinkError>) {
    guard let operation = operations[id], case .request(let link, let handle, let request) = operation.kind
    else {
      return
    }
    if case .subscribe(let isOn) = request, case .success = result {
      if isOn { links[link]?.subscribed.insert(handle) } else { links[link]?.subscribed.remove(handle) }
    }
    schedule(.completes(id, result), after: operation.wayBack)
  }

  /// A timed-out ATT transaction ends the link.
  func unanswered(_ id: OperationID) {
    if let link = operations[id]?.link { linkDown(link, .remote) }
  }

  func notify(_ characteristic: BluetoothUUID, _ value: [UInt8], over link: LinkID) {
    guard let state = links[link], let table = state.table else { return }
    let found = table.services.flatMap(\.characteristics).first { $0.uuid == characteristic }
    guard let found, state.subscribed.contains(found.handle) else { return }
    let arrives = max(
      clock.now.advanced(by: draw(radio.roundTrip, for: state) / 2),
      state.lastArrival.advanced(by: .microseconds(10)))
    links[link]?.lastArrival = arrives
    schedule(.notified(link, found.handle, value), at: arrives)
  }

  // MARK: Services

  func resolved(_ id: OperationID) {
    guard case .resolve(let link) = operations[id]?.kind, let state = links[link],
      let sensor = sensors[state.address]
    else { return }
    // The sensor has left the link; the host detects it later.
    guard sensor.link == link else { return }
    let isStale =
      strikes(.staleAttributes, on: state)
      && !forgotten.contains(CacheKey(adapter: state.adapter, address: state.address))
    var services = sensor.firmware.isAnswering ? sensor.firmware.services : []
    if strikes(.twoServices, on: state) { services += services }
    if strikes(.twoCharacteristics, on: state) {
      services = services.map { .init($0.uuid, $0.characteristics + $0.characteristics) }
    }
    // docs/internals/bluez.md, "Writing without response": a peripheral that never responds.
    if !sensor.firmware.isAnswering { schedule(.linkDown(link, .remote), after: radio.muteLinkEnds) }
    let table = makeTable(of: isStale ? services.map(Self.formerly) : services, for: state)
    links[link]?.table = table
    finish(id, .success(.table(table)))
  }

  /// A service of an earlier firmware with one characteristic less. BlueZ discovers the list of services on
  /// each connection, but uses the stored content of a service that it knows at the same handles.
  private static func formerly(_ service: ServiceDefinition) -> ServiceDefinition {
    var service = service
    service.characteristics.removeFirst()
    return service
  }

  private func makeTable(of services: [ServiceDefinition], for state: LinkState) -> AttributeTable {
    var handle: AttributeHandle = 0x0010
    let probability =
      strikes(.lateCharacteristics, on: state)
      ? max(0.3, radio.lateCharacteristics) : radio.lateCharacteristics
    let isLate = sensors[state.address]?.generator.chance(probability) ?? false
    let demanded = strikes(.pairing(.demanded), on: state) ? LinkSecurity.encrypted : .plain
    let resolved = services.map { service in
      var found = AttributeTable.Service(uuid: service.uuid, handle: handle, characteristics: [])
      for characteristic in service.characteristics {
        handle += 2
        found.characteristics.append(
          .init(
            uuid: characteristic.uuid, handle: handle, properties: characteristic.properties,
            lateBy: lateness(isLate, state), description: characteristic.description,
            isEncrypted: characteristic.isEncrypted, security: max(characteristic.security, demanded)))
        handle = found.characteristics.last?.lastHandle ?? handle
      }
      handle += 1
      return found
    }
    return AttributeTable(services: resolved, resolvedAt: clock.now)
  }

  private func lateness(_ isLate: Bool, _ state: LinkState) -> Duration {
    guard isLate, sensors[state.address]?.generator.chance(0.5) == true else { return .zero }
    return sensors[state.address]?.generator.duration(in: .milliseconds(1)...radio.lateBy) ?? .zero
  }

  // MARK: Random values

  func draw(_ range: ClosedRange<Duration>, for link: LinkState) -> Duration {
    adapterStates[link.adapter]?.generator.duration(in: range) ?? range.lowerBound
  }

  private func strikes(_ fault: Fault, on link: LinkState) -> Bool {
    sensors[link.address]?.strikes(fault, inAttempt: link.attempt) == true
  }
}
