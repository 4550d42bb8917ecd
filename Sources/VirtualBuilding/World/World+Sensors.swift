import Bluetooth

/// The sensors' side: events for their firmwares, and the effects.
extension World {
  func appear(_ address: BluetoothAddress) {
    sensors[address]?.isOn = true
    deliver(address, .started)
  }

  func started(_ address: BluetoothAddress, _ life: Int) {
    guard let sensor = sensors[address], sensor.life == life else { return }
    sensors[address]?.isOn = true
    deliver(address, .started)
  }

  func timerRanOut(_ address: BluetoothAddress, _ life: Int, _ timer: FirmwareTimer) {
    guard let sensor = sensors[address], sensor.life == life, sensor.isOn else { return }
    deliver(address, .timer(timer))
  }

  /// Passes an event to a firmware and carries out the effects.
  func deliver(_ address: BluetoothAddress, _ event: FirmwareEvent) {
    guard let number = sensors.number(of: address) else { return }
    let before = sensors[number].payload
    for effect in sensors[number].handle(event, at: clock.now) { carryOut(effect, of: address) }
    if sensors[number].payload != before || event == .started {
      advertisesAnew(address)
      planTurn(of: address, isNew: true)
    }
  }

  /// A sensor has left its link and can advertise again.
  func comesFree(_ address: BluetoothAddress) {
    sensors[address]?.link = nil
    advertisesAnew(address)
    deliver(address, .disconnected)
    guard let sensor = sensors[address], sensor.onAir != nil else { return }
    // A sensor that advertises often can wait for the scheduled advertisement; a changed one was scheduled as
    // such.
    planTurn(of: address, isNew: sensor.advertisingInterval != nil)
  }

  func carryOut(_ effect: FirmwareEffect, of address: BluetoothAddress) {
    guard let sensor = sensors[address] else { return }
    switch effect {
    case .answer(let request, let value):
      answer(request, .success(.value(value)))
    case .refuse(let request, let code):
      answer(request, .failure(.att(code)))
    case .took(let characteristic, let value):
      guard let link = sensor.link.flatMap({ links[$0] }) else { return }
      record(value, to: characteristic, .withResponse, link)
    case .notify(let characteristic, let value):
      if let link = sensor.link { notify(characteristic, value, over: link) }
    case .disconnect:
      guard let link = sensor.link else { return }
      notice(link, after: sensors[address]?.generator.duration(in: radio.terminate))
      comesFree(address)
    case .loseLink:
      guard let link = sensor.link else { return }
      notice(link, after: radio.supervisionTimeout)
      comesFree(address)
    case .restart(let duration):
      if let link = sensor.link { notice(link, after: radio.supervisionTimeout) }
      sensors[address]?.link = nil
      sensors[address]?.isOn = false
      sensors[address]?.life += 1
      if let duration { schedule(.started(address, life: sensor.life + 1), after: duration) }
    case .setTimer(let timer, let duration):
      schedule(.timer(address, life: sensor.life, timer), after: duration)
    }
  }

  /// The sensor leaves a link. The host detects it later, after any notification that is still on its way.
  private func notice(_ link: LinkID, after delay: Duration?) {
    guard let state = links[link] else { return }
    let noticed = max(
      clock.now.advanced(by: delay ?? .zero), state.lastArrival.advanced(by: .microseconds(10)))
    schedule(.linkDown(link, .remote), at: noticed)
  }

  /// The sensor has detected that the central is gone.
  func sensorSide(_ address: BluetoothAddress, loses link: LinkID) {
    guard sensors[address]?.link == link else { return }
    comesFree(address)
    planTurn(of: address, isNew: true)
  }
}
