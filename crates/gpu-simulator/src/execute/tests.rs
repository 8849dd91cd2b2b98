mod damage;
mod divergence;
mod faults;
mod memory;
mod order;
mod printing;
mod waiting;
